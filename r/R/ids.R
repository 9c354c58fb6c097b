# Ids of rows and columns: text, whole numbers or factors for the program, and of their own type for the user.

# Ids as the program takes them.
encode_ids <- function(x, what, file = NULL) {
  if (is.factor(x) || inherits(x, "integer64")) return(x)
  if (is.character(x)) return(as_factor(x))
  if (is.integer(x) && !is.object(x)) return(x)
  if (is.numeric(x) && !is.object(x)) {
    known <- x[!is.na(x)]
    if (any(known != floor(known)) || any(is.infinite(known))) stop_with(sprintf("%s: ids are numbers that are not whole", what), "use text or whole numbers", file = file)
    if (!length(known) || max(abs(known)) < 2^31) return(as.integer(x))
    return(as_factor(x, function(v) sprintf("%.0f", v)))
  }
  if (is.logical(x)) return(as_factor(as.character(x)))
  if (inherits(x, "Date")) return(as_factor(unclass(x), function(v) format(structure(v, class = "Date"))))
  if (inherits(x, "POSIXt")) {
    zone <- attr(x, "tzone")
    return(as_factor(as.numeric(x), function(v) format(as.POSIXct(v, origin = "1970-01-01", tz = if (is.null(zone)) "" else zone[1]), "%Y-%m-%d %H:%M:%OS6")))
  }
  stop_with(sprintf("%s: ids are of the class %s", what, paste(class(x), collapse = "/")), "use text, whole numbers, factors or dates", file = file)
}

# A factor whose levels stand in the order in which they come: there is no need to sort millions of texts.
as_factor <- function(x, text = identity) {
  levels <- unique(x)
  levels <- levels[!is.na(levels)]
  structure(if (is.character(x)) data.table::chmatch(x, levels) else match(x, levels), levels = as.character(text(levels)), class = "factor")
}

# What is kept of ids: an empty vector of their type.
id_type <- function(x) x[0]

# Texts as ids of a type. What is no id of this type stays text.
decode_ids <- function(texts, type) {
  if (is.null(type) || is.character(type)) return(texts)
  if (is.factor(type)) {
    if (all(texts %in% levels(type))) return(factor(texts, levels(type), ordered = is.ordered(type)))
    return(texts)
  }
  ids <- suppressWarnings(tryCatch(
    if (inherits(type, "Date")) {
      as.Date(texts)
    } else if (inherits(type, "POSIXt")) {
      zone <- attr(type, "tzone")
      as.POSIXct(texts, tz = if (is.null(zone)) "" else zone[1], format = "%Y-%m-%d %H:%M:%OS")
    } else if (inherits(type, "integer64")) {
      if (requireNamespace("bit64", quietly = TRUE)) bit64::as.integer64(texts) else texts
    } else if (is.logical(type)) {
      as.logical(texts)
    } else if (is.integer(type)) {
      as.integer(texts)
    } else {
      as.numeric(texts)
    },
    error = function(e) texts
  ))
  if (anyNA(ids)) texts else ids
}

# One or more ids as the program knows them.
id_text <- function(x) as.character(encode_ids(if (is.list(x)) unlist(x) else x, "the id"))
