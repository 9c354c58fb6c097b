# Where the program is.

program_name <- function() if (.Platform$OS.type == "windows") "optcomplete.exe" else "optcomplete"

# The folder of the package's own program.
own_folder <- function() tools::R_user_dir("optcomplete", "data")

optcomplete_program <- function() {
  for (source in c("the option optcomplete.program", "the environment variable OPTCOMPLETE_BINARY")) {
    given <- if (startsWith(source, "the option")) getOption("optcomplete.program", "") else Sys.getenv("OPTCOMPLETE_BINARY")
    if (nzchar(given)) {
      if (file.access(given, 1) != 0 || dir.exists(given)) stop_with(sprintf("%s is %s, which cannot be run", source, given), "name the optcomplete program")
      return(normalizePath(given))
    }
  }
  own <- file.path(own_folder(), program_name())
  if (file.exists(own)) return(own)
  found <- Sys.which(program_name())
  if (nzchar(found)) return(unname(found))
  stop_with(
    "the optcomplete program is not there",
    "build it with install_optcomplete(), or name it with options(optcomplete.program = \"...\") or in the environment variable OPTCOMPLETE_BINARY"
  )
}

has_optcomplete <- function() !inherits(try(optcomplete_program(), silent = TRUE), "try-error")

install_optcomplete <- function(from = NULL) {
  from <- if (is.null(from)) checkout(getwd()) else checkout(from)
  if (is.null(from)) {
    stop_with("the source of the program is not there", "name the folder of a checkout of OptComplete, the one with go.mod, with from")
  }
  go <- Sys.which("go")
  if (!nzchar(go)) stop_with("Go is not there", "install Go (https://go.dev/dl/) and start R again, so that it is on the PATH")
  to <- file.path(own_folder(), program_name())
  dir.create(dirname(to), recursive = TRUE, showWarnings = FALSE)
  new <- paste0(to, ".new")
  on.exit(unlink(new))
  said <- processx::run(go, c("build", "-trimpath", "-o", new, "./cmd/optcomplete"),
    wd = from, env = c("current", CGO_ENABLED = "0"), error_on_status = FALSE, stderr_to_stdout = TRUE
  )
  if (said$status != 0) stop_with(paste0("go build failed: ", trimws(said$stdout)), "the checkout may be incomplete, or Go too old")
  if (!file.rename(new, to)) stop_with("cannot be written", "end R sessions that use the program, or remove it", file = to)
  message("The program is ", to)
  invisible(to)
}

# The checkout that a folder is in, or NULL.
checkout <- function(folder) {
  folder <- normalizePath(folder, mustWork = FALSE)
  repeat {
    module <- file.path(folder, "go.mod")
    if (file.exists(module) && "module optcomplete" %in% readLines(module, warn = FALSE)) return(folder)
    if (dirname(folder) == folder) return(NULL)
    folder <- dirname(folder)
  }
}
