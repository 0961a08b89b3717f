import Foundation

/// A process that creates and uses mutated files. The run detects when it crashes or hangs.
///
/// It prints a line before each case, one for each unexpected error, and one at the end:
///
///     case 17
///     fail 17 save threw invalidStoreResponse …
///     done files=50 succeeded=1234 damagedFile=56 …
enum FuzzWorker {
    static let command = "worker"
    static let basesCommand = "bases"
    static let repeatCommand = "repeat"

    /// Several times the memory that a case needs, in bytes. An allocation whose size comes from a hostile number
    /// fails.
    private static let addressSpace: UInt = 2 << 30

    /// - Parameter arguments: `bases DIRECTORY`, or the directory of these, another directory, the seed, the first
    /// number, and the count. After `repeat`, the same for one case.
    static func main(_ arguments: [String]) throws {
        if arguments.first == basesCommand, arguments.count == 2 {
            try BaseStores(directory: URL(fileURLWithPath: arguments[1])).make()
            return
        }
        let isRepeated = arguments.first == repeatCommand
        let arguments = arguments.dropFirst(isRepeated ? 1 : 0).map(\.self)
        guard arguments.count == 5, let seed = UInt64(arguments[2]), let first = Int(arguments[3]),
            let count = Int(arguments[4])
        else { throw Fuzz.UsageError() }
        limitMemory()
        let bases = BaseStores(directory: URL(fileURLWithPath: arguments[0]))
        let directory = URL(fileURLWithPath: arguments[1])
        if isRepeated { say("\(FuzzCase(seed: seed, number: first, bases).kind.rawValue)") }
        var counts: [String: Int] = [:]
        for number in first..<first + count {
            say("case \(number)")
            let outcomes = try run(FuzzCase(seed: seed, number: number, bases), in: directory)
            for failure in outcomes.failures {
                say("fail \(number) \(failure.replacing("\n", with: " "))")
            }
            counts["succeeded", default: 0] += outcomes.successes
            for (kind, count) in outcomes.errors { counts[kind, default: 0] += count }
        }
        counts["files"] = count
        say("done \(counts.map { "\($0.key)=\($0.value)" }.joined(separator: " "))")
    }

    private static func run(_ fuzzCase: FuzzCase, in directory: URL) throws -> Outcomes {
        let manager = FileManager.default
        if manager.fileExists(atPath: directory.path) { try manager.removeItem(at: directory) }
        try manager.createDirectory(at: directory, withIntermediateDirectories: true)
        return try fuzzCase.run(in: directory)
    }

    private static func limitMemory() {
        #if canImport(Glibc)
            var limit = rlimit(rlim_cur: addressSpace, rlim_max: addressSpace)
            guard setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else {
                fatalError("the address space cannot be limited: \(errno)")
            }
        #endif
    }

    /// Prints a line without buffering, because a crash would lose a buffer.
    static func say(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}
