/// The command-line options.
struct Options {
    var filter: String?
    var runs: Int?
    var listsOnly = false

    static let usage = """
        usage: Benchmarks [--filter NAME] [--runs N] [--list]

        Prints a line for each row: name, median, ratio, limit, and `ok` or `over`, separated by tabs.
        Exits 1 when a row is over.

          --filter NAME   only rows with NAME in their name
          --runs N        repeat each row N times instead of its own number
          --list          the names of the rows, without measuring
        """

    struct MacroDiagnostic: Error { let message: String }

    init(_ arguments: some Sequence<String>) throws {
        var arguments = arguments.makeIterator()
        while let argument = arguments.next() {
            switch argument {
            case "--filter":
                guard let name = arguments.next() else { throw MacroDiagnostic(message: "--filter needs a name") }
                filter = name
            case "--runs":
                guard let number = arguments.next().flatMap({ Int($0) }), number > 0 else {
                    throw MacroDiagnostic(message: "--runs needs a number")
                }
                runs = number
            case "--list":
                listsOnly = true
            default:
                throw MacroDiagnostic(message: "unknown argument \(argument)")
            }
        }
    }
}
