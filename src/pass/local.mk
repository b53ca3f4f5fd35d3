# files: snlc_files += *.c
snlc_files += \
    %D%/pass.c
# files: snlc_header_files += *.h *.def
snlc_header_files += \
    %D%/pass.h \
    %D%/passes.def
