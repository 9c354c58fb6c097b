# Settings as arguments, and as options of a verb.

# settings: types, made by `make settings`
.types <- list(
  switch = c(
    "all", "alone", "certify", "complete-features", "constants", "drift", "drop-unknown", "dry-run", "float32",
    "force", "json", "keep", "keep-seen", "log-times", "lowest", "mark-observed", "no-intercept", "path",
    "print-config", "quick", "quiet", "raw-names", "skip-unknown", "stream", "two-sided", "wide"
  ),
  duration = c(
    "search-time", "time-limit"
  ),
  names = c(
    "always", "at-most", "blank", "field", "group", "missing", "never", "nonnegative", "rows", "skip"
  ),
  path = c(
    "checkpoint", "complete", "config", "cuts", "data", "engine-folder", "engine-program", "features",
    "features-config", "keep-observed", "names", "output", "pairs", "path", "plot", "proof", "ratings", "report",
    "row-features", "save-cuts", "serve", "solver-path", "temp", "test", "warm-start"
  )
)
# end of settings

.not_settings <- c("x", "y", "ratings", "features", "row_features", "weights", "family", "offset", "wide", "progress", "...")

# The arguments of a function that are settings and are not their defaults.
given <- function(f = sys.function(-1), frame = parent.frame()) {
  defaults <- formals(f)
  names <- setdiff(names(defaults), .not_settings)
  settings <- mget(names, envir = frame)
  Filter(Negate(is.null), settings[!mapply(identical, settings, lapply(defaults[names], eval))])
}

# Arguments that a function does not have, gathered by `...`, are refused with the name that was meant.
refuse_others <- function(..., f = sys.function(-1)) {
  if (!...length()) return(invisible())
  known <- setdiff(names(formals(f)), "...")
  name <- ...names()[1]
  if (is.null(name) || is.na(name) || !nzchar(name)) stop_with("an argument without a name is one too many", "give settings by their names")
  near <- known[which.min(utils::adist(name, known))]
  far <- utils::adist(name, near) > max(2, nchar(name) / 3)
  stop_with(sprintf("there is no setting \"%s\"", name), if (far) "args() lists the settings" else sprintf("did you mean \"%s\"?", near))
}

# Settings as the protocol has them. Numbers go as text, so that no digit is lost. tables are the names of those that
# are sent, which are no files.
options_of <- function(settings, tables = character(0)) {
  options <- Map(function(value, name) {
    flag <- gsub("_", "-", name)
    if (inherits(value, "difftime")) value <- as.numeric(value, units = "secs")
    if (flag %in% .types$duration && is.numeric(value)) return(sprintf("%.9fs", value))
    if (inherits(value, "optcomplete") && flag %in% .types$path) value <- model_folder(value)
    if (flag %in% .types$path && is.character(value) && !any(value %in% tables)) value <- normalizePath(value, mustWork = FALSE)
    if (is.logical(value) && length(value) == 1 && !is.na(value)) return(value)
    texts <- if (is.numeric(value)) number_text(value) else as.character(value)
    if (length(texts) != 1 || flag %in% .types$names) as.list(texts) else texts
  }, settings, names(settings))
  names(options) <- gsub("_", "-", names(settings))
  if (length(options)) options else structure(list(), names = character(0))
}

# The shortest text that reads back as the same number.
number_text <- function(x) {
  vapply(x, function(v) {
    if (!is.finite(v)) return(as.character(v))
    if (v == floor(v) && abs(v) < 2^53) return(sprintf("%.0f", v))
    for (digits in 15:17) {
      text <- sprintf("%.*g", digits, v)
      if (as.numeric(text) == v) break
    }
    text
  }, "")
}

# The settings that a saved model was made with, as far as it says.
recorded <- function(summary) {
  settings <- summary[intersect(c("k", "method", "seed"), names(summary))]
  for (name in c("always", "never", "at_most")) if (length(summary[[name]])) settings[[name]] <- as.character(summary[[name]])
  if (isTRUE(summary$model %in% c("full", "pooled", "paper"))) settings$model <- summary$model
  for (flag in names(summary$settings)) {
    name <- gsub("-", "_", flag)
    text <- summary$settings[[flag]]
    if (!name %in% names(formals(complete_matrix)) || identical(text, .given_weights)) next
    settings[[name]] <- if (flag %in% .types$switch) text == "true" else if (grepl("\n", text)) strsplit(text, "\n")[[1]] else utils::type.convert(text, as.is = TRUE)
  }
  settings
}
