# Write the distances of daisy in R's package cluster, as doubles:
# Rscript daisy.R TABLE.csv RESULT.bin KINDS, a kind per column:
# numeric, nominal, ordered or asymmetric
suppressMessages(library(cluster))
arguments <- commandArgs(TRUE)
kinds <- strsplit(arguments[3], ",")[[1]]
classes <- ifelse(kinds == "numeric", "numeric", "character")
x <- read.csv(arguments[1], na.strings = "", check.names = FALSE, colClasses = classes)
for (i in seq_along(x)) {
  if (kinds[i] == "numeric") next
  values <- sort(unique(na.omit(x[[i]])), method = "radix")
  x[[i]] <- factor(x[[i]], levels = values, ordered = kinds[i] == "ordered")
}
asymmetric <- which(kinds == "asymmetric")
d <- suppressWarnings(daisy(x, metric = "gower", type = list(asymm = asymmetric)))
writeBin(as.vector(as.matrix(d)), arguments[2])
