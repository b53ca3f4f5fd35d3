# files: dist_doc_DATA += *.md *.png
dist_doc_DATA += \
    %D%/design.md \
    %D%/errors.md \
    %D%/julia.png
