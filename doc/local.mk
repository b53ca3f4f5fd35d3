# files: dist_doc_DATA += *.md *.png *.json
dist_doc_DATA += \
    %D%/design.md \
    %D%/errors.md \
    %D%/install.md \
    %D%/julia.png \
    %D%/manifest.schema.json \
    %D%/quality.md
