# files: dist_doc_DATA += *.md
dist_doc_DATA += \
    %D%/errors.md
