import Foundation

/// Mutates store files and uses them. Every operation has to succeed or throw a `SwiftDataError`; a crash, a hang, or too
/// much memory is a failure.
///
///     ChronicleFuzz [--seed S] [--seconds N] [--files N] [--workers N]   mutates files for some time, or some number of them
///     ChronicleFuzz --case S/N [--keep DIRECTORY]                        repeats one file, and leaves it in the directory
///
/// Worker processes create and use the files, each of them many files.
@main
enum Fuzz {
    struct UsageError: Error {}

    static func main() {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.first == FuzzWorker.command {
                try FuzzWorker.main(Array(arguments.dropFirst()))
            } else {
                try run(Options(arguments))
            }
        } catch is UsageError {
            FileHandle.standardError.write(
                Data(
                    "usage: ChronicleFuzz [--seed S] [--seconds N] [--files N] [--workers N] [--case S/N [--keep DIR]]\n"
                        .utf8))
            exit(64)
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ options: Options) throws {
        if let (seed, number) = options.fuzzCase {
            exit(try FuzzRun.repeatCase(seed, number, keep: options.keep) ? 0 : 1)
        }
        FuzzWorker.say("fuzz: seed \(options.seed)")
        var run = FuzzRun(options)
        exit(try run.run() ? 0 : 1)
    }
}

/// The command-line options.
struct Options {
    private(set) var seed = UInt64.random(in: 0..<1_000_000_000)
    private(set) var seconds = 60
    /// `nil` for as many as the time allows.
    private(set) var files: Int?
    private(set) var workers = ProcessInfo.processInfo.activeProcessorCount
    private(set) var fuzzCase: (seed: UInt64, number: Int)?
    /// The directory in which to leave the mutated file of a case.
    private(set) var keep: String?

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Fuzz.UsageError() }
            // The Makefile may pass empty variables.
            if value.isEmpty { continue }
            switch option {
            case "--seed": seed = try Self.number(value)
            case "--seconds": seconds = try Self.number(value)
            case "--files": files = try Self.number(value)
            case "--workers": workers = max(try Self.number(value), 1)
            case "--keep": keep = value
            case "--case":
                let parts = value.split(separator: "/")
                guard parts.count == 2 else { throw Fuzz.UsageError() }
                fuzzCase = (try Self.number(parts[0]), try Self.number(parts[1]))
            default: throw Fuzz.UsageError()
            }
        }
    }

    private static func number<Number: FixedWidthInteger>(_ text: some StringProtocol) throws -> Number {
        guard let number = Number(text) else { throw Fuzz.UsageError() }
        return number
    }
}
