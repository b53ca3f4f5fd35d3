# Formula for Homebrew. @URL@ and @SHA256@ are those of a tarball made by make dist.
class Snlc < Formula
  desc "Compiler for simulations on grids and particles"
  homepage "@URL@"
  url "@URL@/snlc-0.1.0.tar.xz"
  sha256 "@SHA256@"
  license "MIT"

  depends_on "pkgconf" => :build
  depends_on "jansson"
  depends_on "libpng"

  uses_from_macos "zlib"

  def install
    system "./configure", *std_configure_args, "--disable-silent-rules"
    system "make"
    system "make", "install"
  end

  test do
    (testpath/"a.snl").write <<~SNL
      field f32 x[8];
      kernel k() { for i in x { x[i] = f32(i); } }
      main { k(); print("{}", x[7]); }
    SNL
    assert_equal "7.0\n", shell_output("#{bin}/snlc run a.snl")
  end
end
