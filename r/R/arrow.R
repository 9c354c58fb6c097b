# Tables as Arrow IPC streams, the form in which they cross to the program
# (https://arrow.apache.org/docs/format/Columnar.html). Only what R's vectors need is
# written, so that no Arrow library is needed: a schema, dictionaries, and batches of records.

.batch_rows <- 1048576

# A table, a named list of vectors of one length, as a list of raw vectors.
arrow_stream <- function(table, what) {
  columns <- Map(function(x, name) arrow_column(x, name, what), table, names(table))
  rows <- length(table[[1]])
  given <- 0
  fields <- list()
  dictionaries <- list()
  for (name in names(table)) {
    column <- columns[[name]]
    encoding <- NULL
    if (!is.null(column$dictionary)) {
      encoding <- fb_table(list(fb_long(given), int_type(32), fb_byte(column$ordered), NULL))
      part <- text_part(column$dictionary)
      dictionaries[[length(dictionaries) + 1]] <- message_of(2, fb_table(list(fb_long(given), batch_of(part, length(column$dictionary)), fb_byte(0))), part$buffers)
      given <- given + 1
    }
    fields[[length(fields) + 1]] <- fb_table(list(fb_string(name), fb_byte(1), fb_byte(column$code), column$type, encoding, column$children))
  }
  schema <- fb_table(list(fb_short(0), fb_refs(fields)))
  batches <- lapply(seq(1, max(rows, 1), by = .batch_rows), function(from) {
    to <- min(rows, from + .batch_rows - 1)
    parts <- lapply(columns, function(column) column$part(from, to))
    part <- list(nodes = unlist(lapply(parts, `[[`, "nodes")), buffers = do.call(c, lapply(unname(parts), `[[`, "buffers")))
    message_of(3, batch_of(part, to - from + 1), part$buffers)
  })
  c(message_of(1, schema, list()), do.call(c, dictionaries), do.call(c, batches), list(as.raw(c(255, 255, 255, 255, 0, 0, 0, 0))))
}

# One column: its type, and a function that gives the buffers of some of its records.
arrow_column <- function(x, name, what) {
  refuse <- function() {
    stop_with(sprintf("column \"%s\" is of the class %s, which the program cannot take", name, paste(class(x), collapse = "/")),
      "give numbers, text, factors, dates, logicals or lists of text", file = what
    )
  }
  if (!is.null(dim(x))) refuse()
  if (inherits(x, "POSIXlt")) x <- as.POSIXct(x)
  if (is.factor(x)) {
    codes <- unclass(x) - 1L
    attributes(codes) <- NULL
    return(list(code = 5, type = fb_table(list()), dictionary = enc2utf8(levels(x)), ordered = is.ordered(x), part = fixed_part(codes, writeBin)))
  }
  if (is.character(x)) {
    return(list(code = 5, type = fb_table(list()), part = function(from, to) text_part(slice(x, from, to))))
  }
  if (inherits(x, "Date")) {
    return(list(code = 8, type = fb_table(list(fb_short(0))), part = fixed_part(as.integer(floor(unclass(x))), writeBin)))
  }
  if (inherits(x, "POSIXct")) {
    seconds <- as.numeric(x)
    part <- fixed_part(floor(seconds * 1e6), function(v, to) int64_raw(ifelse(is.na(v), 0, v)))
    return(list(code = 10, type = fb_table(list(fb_short(2), fb_string("UTC"))), part = part))
  }
  if (inherits(x, "integer64")) {
    bits <- unclass(x) # eight bytes each, as they are
    missing <- int64_missing(bits)
    return(list(code = 2, type = int_type(64), part = fixed_part(bits, writeBin, missing)))
  }
  if (is.logical(x)) {
    return(list(code = 6, type = fb_table(list()), part = fixed_part(x, function(v, to) bits_raw(v & !is.na(v)))))
  }
  if (is.integer(x)) {
    return(list(code = 2, type = int_type(32), part = fixed_part(x, writeBin)))
  }
  if (is.numeric(x)) {
    return(list(code = 3, type = fb_table(list(fb_short(2))), part = fixed_part(as.numeric(x), writeBin)))
  }
  if (is.list(x)) {
    if (!all(vapply(x, function(v) is.null(v) || is.atomic(v), NA))) refuse()
    child <- fb_table(list(fb_string("item"), fb_byte(1), fb_byte(5), fb_table(list())))
    return(list(code = 12, type = fb_table(list()), children = fb_refs(list(child)), part = function(from, to) list_part(slice(x, from, to))))
  }
  refuse()
}

slice <- function(x, from, to) if (from == 1 && to == length(x)) x else if (to < from) x[0] else x[from:to]

# Buffers of values of a fixed width. missing is which are unknown, of none if it has the length 0.
fixed_part <- function(x, write, missing = if (anyNA(x)) is.na(x) else logical(0)) {
  if (!any(missing)) missing <- logical(0)
  force(x)
  function(from, to) {
    if (to < from) return(list(nodes = c(0, 0), buffers = list(raw(0), raw(0))))
    gone <- if (length(missing)) slice(missing, from, to) else logical(0)
    values <- slice(x, from, to)
    list(nodes = c(to - from + 1, sum(gone)), buffers = list(validity(gone), write(values, raw())))
  }
}

text_part <- function(x) {
  x <- enc2utf8(x)
  gone <- is.na(x)
  x[gone] <- ""
  sizes <- nchar(x, "bytes")
  list(
    nodes = c(length(x), sum(gone)),
    buffers = list(validity(gone), writeBin(c(0L, as.integer(cumsum(sizes))), raw()), charToRaw(paste(x, collapse = "")))
  )
}

list_part <- function(x) {
  gone <- vapply(x, function(v) is.null(v) || (length(v) == 1 && is.na(v)), NA)
  texts <- lapply(x[!gone], as.character)
  sizes <- integer(length(x))
  sizes[!gone] <- lengths(texts)
  child <- text_part(as.character(unlist(texts)))
  list(
    nodes = c(length(x), sum(gone), child$nodes),
    buffers = c(list(validity(gone), writeBin(c(0L, as.integer(cumsum(sizes))), raw())), child$buffers)
  )
}

validity <- function(gone) if (any(gone)) bits_raw(!gone) else raw(0)

bits_raw <- function(x) packBits(c(x, logical(-length(x) %% 8)), "raw")

# Whole numbers as eight bytes each. Doubles hold them up to 2^53.
int64_raw <- function(x) {
  high <- floor(x / 2^32)
  low <- x - high * 2^32
  writeBin(as.integer(rbind(wrap32(low), wrap32(high))), raw())
}

wrap32 <- function(x) ifelse(x >= 2^31, x - 2^32, x)

int64_missing <- function(bits) {
  # bit64's NA is the least number, which is minus zero as a double.
  bits == 0 & 1 / bits < 0
}

batch_of <- function(part, rows) {
  sizes <- lengths(part$buffers)
  padded <- sizes + -sizes %% 8
  starts <- cumsum(c(0, padded))[seq_along(sizes)]
  fb_table(list(fb_long(rows), fb_structs(part$nodes, 2), fb_structs(rbind(starts, sizes), 2)))
}

# A message: its metadata, and its buffers. kind is 1 for a schema, 2 for a dictionary, 3 for records.
message_of <- function(kind, header, buffers) {
  length <- sum(lengths(buffers) + -lengths(buffers) %% 8)
  metadata <- fb_root(fb_table(list(fb_short(4), fb_byte(kind), header, fb_long(length))))
  body <- unlist(lapply(buffers, function(b) list(b, raw(-length(b) %% 8))), recursive = FALSE)
  c(list(c(as.raw(c(255, 255, 255, 255)), le32(length(metadata)), metadata)), body)
}

int_type <- function(bits) fb_table(list(fb_whole(bits), fb_byte(1)))

# Flatbuffers (https://flatbuffers.dev/internals/), in which Arrow's metadata are written: every part
# starts at a multiple of eight bytes, a table follows the list of its fields, and its children follow it.

le16 <- function(x) writeBin(as.integer(x), raw(), size = 2, endian = "little")
le32 <- function(x) writeBin(as.integer(x), raw(), size = 4, endian = "little")
pad8 <- function(x) c(x, raw(-length(x) %% 8))

fb_scalar <- function(bytes) list(kind = "scalar", bytes = bytes)
fb_byte <- function(x) fb_scalar(as.raw(x))
fb_short <- function(x) fb_scalar(le16(x))
fb_whole <- function(x) fb_scalar(le32(x))
fb_long <- function(x) fb_scalar(int64_raw(x))
fb_string <- function(x) list(kind = "bytes", bytes = {
  text <- charToRaw(enc2utf8(x))
  c(le32(length(text)), text, raw(1))
}, at = 0)
fb_structs <- function(x, width) list(kind = "bytes", bytes = c(raw(4), le32(length(x) / width), if (length(x)) int64_raw(as.numeric(x))), at = 4)
fb_refs <- function(nodes) list(kind = "refs", nodes = nodes)
fb_table <- function(fields) list(kind = "table", fields = fields)

fb_root <- function(node) {
  written <- fb_write(node, 8)
  c(le32(written$at), raw(4), written$bytes)
}

# The bytes of a node that starts at a place, and the place that refers to it.
fb_write <- function(node, start) {
  if (node$kind == "bytes") return(list(bytes = pad8(node$bytes), at = start + node$at))
  if (node$kind == "refs") {
    head <- raw(0)
    first <- 4
    children <- node$nodes
    here <- pad8(c(le32(length(children)), raw(4 * length(children))))
    places <- 4 * seq_along(children)
    own <- start
  } else {
    n <- length(node$fields)
    used <- !vapply(node$fields, is.null, NA)
    head <- pad8(le16(c(4 + 2 * n, 8 + 8 * n, ifelse(used, 8 * seq_len(n), 0))))
    here <- c(le32(length(head)), raw(4 + 8 * n))
    for (i in which(used)) {
      if (node$fields[[i]]$kind == "scalar") here[8 * i + seq_along(node$fields[[i]]$bytes)] <- node$fields[[i]]$bytes
    }
    refers <- used & vapply(node$fields, function(f) !is.null(f) && f$kind != "scalar", NA)
    children <- node$fields[refers]
    places <- 8 * which(refers)
    own <- start + length(head)
  }
  end <- own + length(here)
  after <- list()
  for (i in seq_along(children)) {
    child <- fb_write(children[[i]], end)
    here[places[i] + 1:4] <- le32(child$at - (own + places[i]))
    after[[i]] <- child$bytes
    end <- end + length(child$bytes)
  }
  list(bytes = c(head, here, unlist(after)), at = own)
}
