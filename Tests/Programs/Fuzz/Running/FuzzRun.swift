import Foundation

/// A run over many files, in several worker processes at once.
struct FuzzRun {
    private let options: Options
    private let directory: URL
    private let bases: BaseStores
    private var next = 0
    private var counts: [String: Int] = [:]
    private var failures: [String] = []

    /// The number of files for each process.
    private static let batch = 20
    /// The time after which a file counts as hanging. Most take less than a tenth of a second.
    private static let secondsPerFile = 60

    init(_ options: Options) {
        self.options = options
        directory = FileManager.default.temporaryDirectory.appending(path: "chronicle-fuzz-\(UUID().uuidString)")
        bases = BaseStores(directory: directory)
    }

    /// - Returns: Whether all files succeeded.
    mutating func run() throws -> Bool {
        let start = ContinuousClock.now
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try Self.makeBases(bases)
        let deadline = start + .seconds(options.seconds)
        var working: [WorkerProcess] = []
        while true {
            while working.count < options.workers, let range = nextRange(before: deadline) {
                working.append(try worker(range))
            }
            guard !working.isEmpty else { break }
            WorkerProcess.wait(for: working, seconds: 1)
            for worker in working { look(at: worker) }
            working = try working.compactMap { worker in
                guard worker.hasEnded else { return worker }
                return try next(after: worker)
            }
        }
        report(seconds: Int((ContinuousClock.now - start).components.seconds))
        return failures.isEmpty
    }

    static func makeBases(_ bases: BaseStores) throws {
        let process = try WorkerProcess([FuzzWorker.basesCommand, bases.directory.path], in: bases.directory)
        guard process.finish() else {
            throw RawDatabase.Failure(description: "the undamaged files were not made: \(process.errors())")
        }
    }

    /// Repeats one case in a worker that writes to the output of this process.
    ///
    /// - Parameter keep: The directory in which to leave the file.
    /// - Returns: Whether the case succeeded.
    static func repeatCase(_ seed: UInt64, _ number: Int, keep: String?) throws -> Bool {
        let run = FuzzRun(try Options([]))
        try FileManager.default.createDirectory(at: run.directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: run.directory) }
        try makeBases(run.bases)
        let place = keep ?? run.directory.appending(path: "case").path
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = [
            FuzzWorker.command, FuzzWorker.repeatCommand, run.directory.path, place, "\(seed)", "\(number)", "1",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(WorkerProcess.deterministic) { $1 }
        try process.run()
        process.waitUntilExit()
        return process.terminationReason == .exit && process.terminationStatus == 0
    }

    // MARK: Workers

    private mutating func nextRange(before deadline: ContinuousClock.Instant) -> Range<Int>? {
        let end = min(next + Self.batch, options.files ?? .max)
        guard next < end, options.files != nil || ContinuousClock.now < deadline else { return nil }
        defer { next = end }
        return next..<end
    }

    private func worker(_ range: Range<Int>) throws -> WorkerProcess {
        let place = directory.appending(path: "from-\(range.lowerBound)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let arguments = [
            directory.path, place.appending(path: "case").path, "\(options.seed)", "\(range.lowerBound)",
            "\(range.count)",
        ]
        return try WorkerProcess(arguments, in: place, cases: range)
    }

    /// Reads the output of a worker, and kills it if it hangs.
    private mutating func look(at worker: WorkerProcess) {
        for line in worker.lines() {
            let words = line.split(separator: " ", maxSplits: 2)
            switch words.first {
            case "case": worker.begin(Int(words[1]) ?? 0)
            case "fail": fail(Int(words[1]) ?? 0, String(words[2]))
            case "done": count(line.dropFirst(5))
            default: fail(worker.current, "the worker said: \(line)")
            }
        }
        if worker.secondsOfCurrent > Self.secondsPerFile {
            worker.hang()
        }
    }

    /// Returns a worker for the remaining cases of one that ended, or `nil` if there are none.
    private mutating func next(after worker: WorkerProcess) throws -> WorkerProcess? {
        look(at: worker)
        if let end = worker.unexpectedEnd {
            fail(worker.current, "\(end)\n\(worker.errors())")
            counts["files", default: 0] += worker.current + 1 - worker.cases.lowerBound
            let rest = worker.current + 1..<worker.cases.upperBound
            return rest.isEmpty ? nil : try self.worker(rest)
        }
        return nil
    }

    private mutating func count(_ line: Substring) {
        for word in line.split(separator: " ") {
            let parts = word.split(separator: "=")
            counts[String(parts[0]), default: 0] += Int(parts[1]) ?? 0
        }
    }

    private mutating func fail(_ number: Int, _ message: String) {
        failures.append("\(options.seed)/\(number)")
        FuzzWorker.say("fuzz: \(options.seed)/\(number): \(message)")
    }

    private func report(seconds: Int) {
        let others = counts.filter { !["files", "succeeded"].contains($0.key) }.sorted { $0.value > $1.value }
        FuzzWorker.say(
            "fuzz: seed \(options.seed), \(counts["files"] ?? 0) files in \(seconds) s, "
                + "\(counts["succeeded"] ?? 0) operations succeeded; errors: "
                + others.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
        for failure in Set(failures).sorted() {
            FuzzWorker.say("fuzz: failed; run again with: make fuzz FUZZ_CASE=\(failure)")
        }
    }
}
