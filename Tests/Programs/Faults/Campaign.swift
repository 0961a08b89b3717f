import ChronicleFaultShim
import ChronicleTestSupport
import Foundation

/// Runs jobs in several processes until the time is over, and sums up their results.
struct Campaign {
    private let options: Options
    private let directory: URL

    init(_ options: Options) {
        self.options = options
        // Files in memory, if possible, because the disk is simulated.
        let memory = URL(fileURLWithPath: "/dev/shm")
        let isWritable = FileManager.default.isWritableFile(atPath: memory.path)
        directory = (isWritable ? memory : FileManager.default.temporaryDirectory).resolvingSymlinksInPath()
            .appending(path: "chronicle-faults-\(ProcessInfo.processInfo.processIdentifier)")
    }

    /// - Returns: Whether nothing was lost or invalid.
    func run() throws -> Bool {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        if let repeated = options.repeatedCase { return try run(repeated) }
        Faults.say("faults: \(options.seconds) s, FAULT_SEED=\(options.seed)")
        let deadline = ContinuousClock.now + .seconds(options.seconds)
        var processes: [Int32] = []
        for worker in 0..<options.workers {
            let process = fault_fork(0)
            if process == 0 { fault_exit(work(worker, deadline)) }
            processes.append(process)
        }
        let signals = processes.map { fault_wait($0) }
        var totals = Totals()
        for worker in 0..<options.workers {
            totals.add(Totals(try String(contentsOf: results(worker), encoding: .utf8)))
        }
        let hasFailures = totals.hasFailures
        if let path = options.totals {
            let url = URL(fileURLWithPath: path)
            if FileManager.default.fileExists(atPath: path) {
                totals.add(Totals(try String(contentsOf: url, encoding: .utf8)))
            }
            try totals.text.write(to: url, atomically: true, encoding: .utf8)
        }
        print(totals.tables)
        try FileManager.default.removeItem(at: directory)
        return !hasFailures && signals.allSatisfy { $0 == 0 }
    }

    private func results(_ worker: Int) -> URL { directory.appending(path: "results-\(worker)") }

    /// Runs every n-th job.
    private func work(_ worker: Int, _ deadline: ContinuousClock.Instant) -> Int32 {
        var totals = Totals()
        var number = worker
        do {
            let report = fault_share()!
            for operation in options.operations {
                try Job.warmUp(operation, in: directory.appending(path: "warm-\(worker)"))
            }
            repeat {
                let operations = options.operations
                let operation = operations[(number + Int(options.seed % 1_000)) % operations.count]
                let identifier = Case(seed: options.seed, round: number / operations.count, operation: operation.name)
                let place = directory.appending(path: "job-\(worker)")
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
                var job = Job(
                    operation, identifier, in: place, limit: options.limit, deadline: deadline, report: report)
                do { try job.run() } catch let failure as Failure {
                    totals.add(
                        Totals.Numbers(runs: 0, invalid: 1), Totals.Key(operation: operation.name, fault: Job.power))
                    Faults.say("\(failure)")
                }
                totals.add(job.totals)
                try FileManager.default.removeItem(at: place)
                try totals.text.write(to: results(worker), atomically: true, encoding: .utf8)
                number += options.workers
            } while ContinuousClock.now < deadline
            return 0
        } catch {
            Faults.say("error: \(error)")
            return 1
        }
    }

    private func run(_ repeated: Case) throws -> Bool {
        guard let operation = Operation.all.first(where: { $0.name == repeated.operation }) else {
            throw Faults.UsageError()
        }
        var job = Job(
            operation, repeated, in: directory, limit: options.limit, deadline: .now + .seconds(3_600),
            report: fault_share()!)
        job.kept = directory
        try job.repeatCase()
        Faults.say("faults: \(job.totals.hasFailures ? "the case failed" : "ok"); the files are in \(directory.path)")
        return !job.totals.hasFailures
    }
}
