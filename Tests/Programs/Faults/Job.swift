import Chronicle
import ChronicleFaultShim
import ChronicleTestSupport
import Foundation

/// All cases of an operation in a round, whose files depend on the seed.
///
/// Every case is a child process. This process starts no threads, which a child would not have.
struct Job {
    static let power = "power"
    static let kill = "kill"
    /// How many seconds a case may take. If SQLite can acquire no lock of the log, it waits up to ten seconds for each
    /// statement.
    private static let patience: UInt32 = 180

    let operation: Operation
    let identifier: Case
    let directory: URL
    let limit: Int
    let deadline: ContinuousClock.Instant
    let report: UnsafeMutablePointer<fault_report>
    /// The directory in which to keep the files of a repeated case.
    var kept: URL?
    private let variant: Variant
    private var random: SplitMix
    private var files: Files = [:]
    private var reference = Reference(states: [], calls: [])
    private(set) var totals = Totals()

    init(
        _ operation: Operation, _ identifier: Case, in directory: URL, limit: Int, deadline: ContinuousClock.Instant,
        report: UnsafeMutablePointer<fault_report>
    ) {
        (self.operation, self.identifier, self.directory) = (operation, identifier, directory)
        (self.limit, self.deadline, self.report) = (limit, deadline, report)
        random = identifier.random
        variant = Variant(&random)
    }

    /// Runs an operation in this process, so that its children need not initialize the metadata of types again.
    static func warmUp(_ operation: Operation, in directory: URL) throws {
        var random = SplitMix(state: 1)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let store = operation.makeStore(directory, Variant(&random))
        try operation.prepare(store)
        if !store.isOpen { try store.open() }
        try operation.run(store, Steps(nil))
        _ = try (store.state(), store.saveMore())
        store.close()
        _ = try store.verify()
        try FileManager.default.removeItem(at: directory)
        guard try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count == 1 else {
            throw Failure.invalid("\(operation.name) starts threads, which a child would not have")
        }
    }

    private var isOver: Bool { ContinuousClock.now >= deadline }

    // MARK: Running

    /// Runs as many cases as the limit and the time allow.
    mutating func run() throws {
        try prepare()
        for (call, number) in failingCalls() where !isOver { fail(call, number) }
        for number in sample(1...max(1, calls(FAULT_CHANGE)), limit / 10) where !isOver { kill(number) }
        // The most cases, so that a short run has some of each kind.
        interruptPower(nil)
    }

    /// Runs the case of the identifier again.
    mutating func repeatCase() throws {
        try prepare()
        switch identifier.fault {
        case Self.power: interruptPower(identifier.number)
        case Self.kill: kill(identifier.number)
        case let name:
            guard let call = FailingCall.all.first(where: { $0.name == name }) else { throw Faults.UsageError() }
            fail(call, identifier.number)
        }
    }

    /// Returns numbers in random order, at most as many as the limit.
    private mutating func sample(_ numbers: ClosedRange<Int>, _ count: Int) -> [Int] {
        let numbers = numbers.shuffled(using: &random)
        return limit == 0 ? numbers : Array(numbers.prefix(count))
    }

    private func calls(_ kind: Int) -> Int { Int(reference.calls[kind]) }

    private mutating func failingCalls() -> [(FailingCall, Int)] {
        var cases: [(FailingCall, Int)] = []
        let count = max(1, limit / 5 / FailingCall.all.count)
        for call in FailingCall.all where calls(Int(call.kind)) > 0 {
            cases += sample(1...calls(Int(call.kind)), count).map { (call, $0) }
        }
        return cases.shuffled(using: &random)
    }

    // MARK: Preparing

    /// Makes the files, and runs the operation without an interruption.
    private mutating func prepare() throws {
        let base = directory.appending(path: "base")
        try inChild("prepare") {
            try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
            let store = operation.makeStore(base, variant)
            try operation.prepare(store)
            if !variant.leavesLog { store.close() }
        }
        files = try Self.read(base)
        let result = directory.appending(path: "reference.json")
        try inChild("reference") {
            let initial = try withStore("initial") { store in
                try store.open()
                return try store.state()
            }
            let calls = try withStore("count") { store in
                fault_arm(directory.path, report, 0, 0, 0, 0)
                try perform(store, Steps(report))
                store.close()
                fault_disarm()
                return (0..<Int32(FAULT_KINDS)).map { fault_calls(report, $0) }
            }
            guard calls[FAULT_WRITE] > 0 || calls[FAULT_OPEN] > 0 else {
                throw Failure.invalid("the calls of the system are not intercepted")
            }
            let states = try withStore("states") { store in
                let steps = Steps(nil)
                steps.capture = { try store.state() }
                try perform(store, steps)
                if let problem = try operation.checkResult(store) { throw Failure.invalid(problem) }
                return steps.states
            }
            let reference = Reference(states: [initial] + states, calls: calls)
            try JSONEncoder().encode(reference).write(to: result)
        }
        reference = try JSONDecoder().decode(Reference.self, from: Data(contentsOf: result))
    }

    private func perform(_ store: any StoreUnderTest, _ steps: Steps) throws {
        try steps { try store.open() }
        try operation.run(store, steps)
    }

    // MARK: Cases

    /// Records the operation, and checks images of a power failure.
    private mutating func interruptPower(_ only: Int?) {
        let signal = child(Self.power, 0) {
            let count: Int64 = try withStore("recorded") { store in
                fault_arm(directory.path + "/recorded", report, 0, 0, 0, 0)
                fault_record()
                try perform(store, Steps(report))
                store.close()
                fault_disarm()
                var count: Int64 = 0
                _ = fault_events(&count)
                return count
            }
            var ignored: Int64 = 0
            let events = UnsafeBufferPointer(start: fault_events(&ignored), count: Int(count))
            let failure = PowerFailure(events: events, base: files, seed: identifier.random.state)
            var random = random
            let all = failure.count
            let numbers =
                only.map { [$0] } ?? Array((0..<all).shuffled(using: &random).prefix(limit == 0 ? all : limit))
            var known: Set<UInt64> = []
            _ = failure.forEach(in: Set(numbers)) { image in
                if isOver, only == nil { return false }
                guard known.insert(hash(image)).inserted else { return true }
                fault_extend(Self.patience)
                report.pointee.number = Int64(image.number)
                report.pointee.runs += 1
                if let kept { try? Self.write(image.files, to: kept.appending(path: "image")) }
                judge(Self.power, image.number) {
                    try withStore("image", image.files) { store in
                        try Check(operation: operation, reference: reference).run(
                            store, allowed: (store.isDurable ? image.acknowledged : 0)...image.begun,
                            repeats: operation.guarantee == .resumption || image.number % 8 == 0 || only != nil)
                    }
                }
                return true
            }
        }
        end(Self.power, signal)
    }

    private func hash(_ image: PowerFailure.Image) -> UInt64 {
        var hash = UInt64(image.begun << 16 + image.acknowledged)
        for (name, bytes) in image.files.sorted(by: { $0.key < $1.key }) {
            hash = fault_hash(Array(name.utf8), Int64(name.utf8.count), hash)
            hash = bytes.withUnsafeBytes { fault_hash($0.baseAddress, Int64($0.count), hash) }
        }
        return hash
    }

    /// Runs the operation while a call fails.
    private mutating func fail(_ call: FailingCall, _ number: Int) {
        let signal = child(call.name, number) {
            try withStore("failing") { store in
                var thrown: (any Error)?
                fault_arm(directory.path + "/failing", report, call.kind, Int64(number), call.error, call.mode)
                do { try perform(store, Steps(report)) } catch { thrown = error }
                // Either the same container goes on, or it is closed while calls fail.
                let closes = number % 3 == 0
                if closes { store.close() }
                fault_disarm()
                let (begun, acknowledged) = (Int(report.pointee.begun), Int(report.pointee.acknowledged))
                // A commit that could not be synchronized is in the log. The next one overwrites it, but if the store is
                // closed before and the log cannot be removed, it is recovered.
                let isAtomic =
                    operation.isAtomic && !(call.kind == FAULT_SYNC && (closes || store.usesJournal))
                    && !(call.kind == FAULT_LOCK && store.usesJournal)
                let allowed = acknowledged...(thrown == nil || isAtomic ? acknowledged : begun)
                if let thrown {
                    report.pointee.threw = 1
                    guard thrown is SwiftDataError || thrown is DataStoreError else {
                        throw Failure.invalid("an error of the type \(type(of: thrown)): \(thrown)")
                    }
                    if kept != nil { Faults.say("thrown: \(thrown)") }
                } else if let problem = try operation.checkResult(store) {
                    throw Failure.lost(problem)
                }
                try Check(operation: operation, reference: reference).run(store, allowed: allowed, repeats: true)
            }
        }
        end(call.name, signal)
    }

    /// Kills the process within a call that changes a file.
    private mutating func kill(_ number: Int) {
        var store: (any StoreUnderTest)?
        let signal = child(Self.kill, number) {
            let path = directory.appending(path: "killed")
            try Self.write(files, to: path)
            store = operation.makeStore(path, variant)
            guard let store else { return }
            fault_arm(path.path, report, Int32(FAULT_CHANGE), Int64(number), 0, Int32(FAULT_KILL))
            try perform(store, Steps(report))
            store.close()
        }
        guard signal == SIGKILL || signal == 0 else { return end(Self.kill, signal) }
        let (begun, acknowledged) = (Int(report.pointee.begun), Int(report.pointee.acknowledged))
        end(
            Self.kill,
            child(Self.kill, number) {
                let store = operation.makeStore(directory.appending(path: "killed"), variant)
                try Check(operation: operation, reference: reference).run(
                    store, allowed: acknowledged...begun, repeats: true)
            })
        try? FileManager.default.removeItem(at: directory.appending(path: "killed"))
    }

    // MARK: Children

    /// Runs `body` in a child process, which must not fail.
    private func inChild(_ name: String, _ body: () throws -> Void) throws {
        let signal = child(name, 0, body)
        if signal != 0 || report.pointee.invalid > 0 {
            throw Failure.invalid("\(identifier.with(name, 0)) fails without an interruption, signal \(signal)")
        }
    }

    /// Runs `body` in a child process.
    ///
    /// - Returns: The signal that ended it, or 0.
    private func child(_ fault: String, _ number: Int, _ body: () throws -> Void) -> Int32 {
        report.pointee = fault_report()
        report.pointee.number = Int64(number)
        let process = fault_fork(Self.patience)
        if process == 0 {
            judge(fault, number, body)
            fault_exit(0)
        }
        return fault_wait(process)
    }

    /// Counts and prints a failure.
    private func judge(_ fault: String, _ number: Int, _ body: () throws -> Void) {
        do { try body() } catch {
            if case Failure.lost = error { report.pointee.lost += 1 } else { report.pointee.invalid += 1 }
            tell(fault, number, "\(error)")
        }
    }

    private func tell(_ fault: String, _ number: Int, _ text: String) {
        let text = text.replacingOccurrences(of: "\n", with: " ").prefix(900)
        Faults.say(
            "\(operation.name), \(fault) \(number): \(text)\n  \(variant)\n  FAULT_CASE=\(identifier.with(fault, number))"
        )
    }

    /// Adds the result of the last child.
    private mutating func end(_ fault: String, _ signal: Int32) {
        var numbers = Totals.Numbers(
            runs: fault == Self.power ? Int(report.pointee.runs) : 1, threw: Int(report.pointee.threw),
            lost: Int(report.pointee.lost), invalid: Int(report.pointee.invalid))
        if signal != 0 {
            numbers.invalid += 1
            tell(fault, Int(report.pointee.number), signal == SIGALRM ? "hangs" : "crashes with signal \(signal)")
        }
        totals.add(numbers, Totals.Key(operation: operation.name, fault: fault))
    }

    // MARK: Files

    /// Runs `body` with a store that has the files of the operation, or others, and removes them.
    private func withStore<Result>(
        _ name: String, _ files: Files? = nil, _ body: (any StoreUnderTest) throws -> Result
    ) throws -> Result {
        let path = directory.appending(path: name)
        try Self.write(files ?? self.files, to: path)
        let store = operation.makeStore(path, variant)
        defer {
            fault_disarm()
            store.close()
            if kept == nil { try? FileManager.default.removeItem(at: path) }
        }
        return try body(store)
    }

    private static func write(_ files: Files, to directory: URL) throws {
        try? FileManager.default.removeItem(at: directory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for (name, bytes) in files {
            let path = directory.path + "/" + name
            guard bytes.withUnsafeBytes({ fault_write_file(path, $0.baseAddress, Int64($0.count)) }) == 0 else {
                throw Failure.invalid("\(name) cannot be written to \(directory.path)")
            }
        }
    }

    /// Reads the files that contain data.
    private static func read(_ directory: URL) throws -> Files {
        var files: Files = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path)
        where !["-shm", "-events", "-consumers"].contains(where: { name.hasSuffix($0) }) {
            files[name] = try Data(contentsOf: directory.appending(path: name))
        }
        return files
    }
}
