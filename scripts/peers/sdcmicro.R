# Suppresses single values with sdcMicro until every record shares its key variables with k - 1 others:
# INPUT OUTPUT K IDENTIFIER COLUMN ..
arguments <- commandArgs(trailingOnly = TRUE)
suppressPackageStartupMessages(library(sdcMicro))

people <- read.csv(arguments[1], colClasses = "character", check.names = FALSE)
identifier <- arguments[4]
columns <- arguments[-(1:4)]
people <- people[, names(people) != identifier]
passed <- setdiff(names(people), columns)
# Formulas within the package do not take the hyphens of our names.
names(people) <- make.names(names(people))
keys <- make.names(columns)
for (key in keys) people[[key]] <- factor(people[[key]])

problem <- createSdcObj(people, keyVars = keys)
solved <- localSuppression(problem, k = as.integer(arguments[3]))
release <- extractManipData(solved)[, c(keys, make.names(passed))]
names(release) <- c(columns, passed)
write.csv(release, arguments[2], row.names = FALSE, na = "*")
