/* snl_cpp.h - what the C++ headers of all SNL programs share; for C++17 and later.
 *
 * Calls that fail throw snl::error, or end the process where there are no exceptions.  An
 * snl::view lies in the memory of a field, and is good as long as the layout; it owns nothing.
 */
#ifndef SNL_CPP_H
#define SNL_CPP_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#if defined __has_include
#if __has_include(<span>) && __cplusplus >= 202002L
#include <span>
#endif
#if __has_include(<mdspan>) && __cplusplus > 202002L
#include <mdspan>
#endif
#endif

#include "snl_api.h"
#include "snl_meta.h"

namespace snl {

/* What a call reports: what() is "file:line: text". */
class error : public std::runtime_error {
public:
    error(snl_status status, const char *text) : std::runtime_error(text), status_(status) {}
    snl_status status() const noexcept { return status_; }

private:
    snl_status status_;
};

[[noreturn]] inline void fail(snl_status status, const char *text)
{
#if defined __cpp_exceptions
    throw error(status, *text ? text : "the call failed");
#else
    (void)status;
    (void)text;
    std::abort();
#endif
}

/* The elements of a field where they lie, evenly spaced along each of N indices, which count from
 * 0 whatever the offset of the layout. */
template <typename T, std::size_t N>
class view {
public:
    using index = std::array<std::size_t, N>;
    view(T *first, const index &extents, const index &strides) noexcept
        : first_(first), extents_(extents), strides_(strides)
    {
    }
    template <typename... I>
    T &operator()(I... indices) const noexcept
    {
        static_assert(sizeof...(I) == N, "one index for each of the field");
        std::size_t at = 0, axis = 0;
        ((at += static_cast<std::size_t>(indices) * strides_[axis++]), ...);
        return *reinterpret_cast<T *>(reinterpret_cast<char *>(first_) + at);
    }
    T *data() const noexcept { return first_; }
    std::size_t extent(std::size_t axis) const noexcept { return extents_[axis]; }
    /* Bytes from one element to the next. */
    std::size_t stride(std::size_t axis) const noexcept { return strides_[axis]; }
    std::size_t size() const noexcept
    {
        std::size_t n = 1;
        for (std::size_t k = 0; k < N; k++)
            n *= extents_[k];
        return n;
    }
    /* Do the elements lie one behind the other, the last index fastest? */
    bool is_contiguous() const noexcept
    {
        std::size_t bytes = sizeof(T);
        for (std::size_t k = N; k-- > 0; bytes *= extents_[k])
            if (extents_[k] > 1 && strides_[k] != bytes)
                return false;
        return true;
    }
#if defined __cpp_lib_span
    /* Fails where they do not. */
    std::span<T> span() const
    {
        if (!is_contiguous())
            fail(SNL_EINVAL, "the elements of this field do not lie one behind the other");
        return {first_, size()};
    }
#endif
#if defined __cpp_lib_mdspan
    /* Fails where the bytes from one element to the next are no multiple of its size. */
    auto mdspan() const
    {
        index strides;
        for (std::size_t k = 0; k < N; k++) {
            if (strides_[k] % sizeof(T))
                fail(SNL_EINVAL, "the elements of this field lie at no multiple of their size");
            strides[k] = strides_[k] / sizeof(T);
        }
        using extents = std::dextents<std::size_t, N>;
        return std::mdspan<T, extents, std::layout_stride>(
            first_, std::layout_stride::mapping<extents>(extents(extents_), strides));
    }
#endif

private:
    T *first_;
    index extents_, strides_;
};

/* The active cells of a field: the indices of the first, then those of the second ...; their
 * elements. */
template <typename T>
struct cells {
    std::vector<std::int64_t> coords;
    std::vector<T> values;
};

/* Extents of a field by its number in the program. */
template <std::size_t N>
inline std::array<std::size_t, N> extents(const void *program, int field)
{
    snl_meta_field facts;
    std::array<std::size_t, N> result{};
    const snl_status status = snl_meta_get_field(program, field, &facts);
    if (status != SNL_OK)
        fail(status, "the program has no such field");
    for (std::size_t k = 0; k < N; k++)
        result[k] = static_cast<std::size_t>(facts.extent[k]);
    return result;
}

}

#endif
