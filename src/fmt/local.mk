# files: snlc_files += *.c
snlc_files += \
    %D%/diff.c \
    %D%/format.c \
    %D%/space.c
# files: snlc_header_files += *.h
snlc_header_files += \
    %D%/format.h \
    %D%/space.h
