# files: dist_doc_DATA += *.md
dist_doc_DATA += \
    %D%/design.md \
    %D%/errors.md
