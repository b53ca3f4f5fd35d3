EXTRA_DIST += %D%/errors-to-c.awk %D%/update-sources
