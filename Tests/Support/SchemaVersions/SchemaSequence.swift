import Chronicle
import Foundation

/// A store that random programs open with versions of a schema.
package protocol SchemaSequenceStore {
    /// The values of each row, as ``StoreReference/compare(_:_:)`` expects them.
    typealias Rows = [Int64: [String: String]]

    /// Opens the store, and returns its rows.
    ///
    /// - Parameters:
    ///   - program: The number of the program, or `nil` to open the store read-only.
    ///   - stage: The stage of a migration plan that changes the schema, or `nil` if none does.
    /// - Throws: The error of the opening, or ``ChangedStore`` if a failed or a read-only opening changed the store.
    func open(_ version: SchemaVersion, as program: Int?, stage: StoreReference.Stage?) throws -> Rows
    /// Inserts two models of each class that is a destination.
    func insertDestinations() throws
    /// Returns whether there are any values in a column or in a table of links.
    func hasValues(_ place: StoreReference.Place) throws -> Bool
    /// Executes the statement of a program in one transaction.
    func apply(_ change: StoreReference.Change) throws
    /// The problems that a verification finds.
    func problems() throws -> [String]
}

/// A failed or a read-only opening changed the store.
package struct ChangedStore: Error {
    package let underlying: (any Error)?
    package init(_ underlying: (any Error)?) { self.underlying = underlying }
}

/// Programs with different versions of a schema, which open a store in a random order, return to earlier versions, and
/// change its rows.
package struct SchemaSequence<Store: SchemaSequenceStore> {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let store: Store
    private var random: SplitMix
    private var reference = StoreReference()
    private var log: [String] = []
    private var key: Int64 = 0
    /// All versions of each program, the newest one last.
    private var versions = [[SchemaVersion]](repeating: [], count: 3)
    /// All versions with which the store was opened.
    private var opened: [SchemaVersion] = []
    private var number = 0
    /// How often each kind of step succeeded and was rejected.
    private var counts: [String: Int] = [:]

    private init(_ store: Store, _ random: SplitMix) { (self.store, self.random) = (store, random) }

    /// Runs a random sequence. Without the steps that a failure does not need, it is run again.
    ///
    /// - Parameter store: A closure that returns an empty store.
    /// - Returns: How often each kind of step succeeded and was rejected.
    /// - Throws: A ``Failure`` with the steps.
    package static func run(
        steps count: Int = 24, using random: SplitMix, store: () throws -> Store
    ) throws -> [String: Int] {
        var seeds = random
        var steps = (0..<count).map { (number: $0, random: SplitMix(state: seeds.next())) }
        var sequence = SchemaSequence(try store(), seeds)
        do { try sequence.run(steps) } catch let first as Failure {
            var failure = first
            for index in steps.indices.reversed() {
                var fewer = steps
                fewer.remove(at: index)
                var sequence = SchemaSequence(try store(), seeds)
                do { try sequence.run(fewer) } catch let other as Failure { (failure, steps) = (other, fewer) }
            }
            throw failure
        }
        return sequence.counts
    }

    private func failure(_ reason: String) -> Failure {
        Failure(description: "\(log.joined(separator: "\n"))\n\(reason)")
    }

    private mutating func count(_ name: String) { counts[name, default: 0] += 1 }

    private mutating func run(_ steps: [(number: Int, random: SplitMix)]) throws {
        do {
            let first = try newVersion(of: 0)
            guard try open(first, as: 0) else { throw failure("the first version is rejected") }
            try store.insertDestinations()
            for step in steps {
                random = step.random
                if step.number % 2 == 0 { try openRandomVersion() } else { try changeRows() }
            }
            // The first schema is opened last, and then the newest ones.
            try readOnly(first)
            _ = try open(first, as: 0)
            for program in versions.indices {
                if let newest = versions[program].last { _ = try open(newest, as: program) }
            }
        } catch is StoreReference.Ambiguity { count("ambiguous") } catch let failure as Failure { throw failure } catch
        {
            throw failure("\(error)")
        }
    }

    private mutating func openRandomVersion() throws {
        let program = random.pick([0, 0, 1, 1, 2])
        switch random.below(12) {
        case 0..<5:
            for _ in 0..<3 {
                let version = try newVersion(of: program)
                if try open(version, as: program) { break }
            }
        case 5..<8:
            guard let version = versions[program].last else { return }
            _ = try open(version, as: program)
        case 8:
            guard let version = versions[program].randomElement(using: &random) else { return }
            _ = try open(version, as: program)
        case 9, 10:
            let new = try newVersion(of: program)
            try readOnly(random.below(4) == 0 ? new : random.pick(opened))
        default:
            let version = try newVersion(of: program)
            _ = try open(version, as: program, stage: random.below(3) > 0 ? .custom : .lightweight)
        }
    }

    private mutating func newVersion(of program: Int) throws -> SchemaVersion {
        number += 1
        // A program sometimes adopts the models of another one.
        let other = versions[random.pick(versions.indices.filter { $0 != program })].last ?? opened.last
        var base = versions[program].last ?? other
        if let other, random.below(6) == 0 { base = other }
        var version = base?.next(using: &random) ?? SchemaVersion(using: &random)
        if let base, random.below(8) == 0 { version = base }
        version.number = number
        version.changeClasses(using: &random)
        version.changeKeys(using: &random)
        return version
    }

    // MARK: Openings

    private mutating func open(
        _ version: SchemaVersion, as program: Int, stage: StoreReference.Stage? = nil
    ) throws -> Bool {
        let kind = stage.map { "\($0) stage" } ?? (opened.contains { $0.number == version.number } ? "known" : "new")
        log.append("program \(program), \(kind) version \(version)")
        var expected = reference
        do {
            try expected.open(version, as: program, stage: stage) { try store.hasValues($0) }
        } catch let rejection as StoreReference.Rejection {
            log.append("rejected: \(rejection.reason)")
            try expectRejection { _ = try store.open(version, as: program, stage: stage) }
            count("\(kind) rejected")
            return false
        }
        let found: Store.Rows
        do { found = try store.open(version, as: program, stage: stage) } catch { throw failure("\(error)") }
        reference = expected
        opened.append(version)
        if !versions[program].contains(where: { $0.number == version.number }) { versions[program].append(version) }
        try compare(found, version)
        let problems = try store.problems()
        guard problems.isEmpty else { throw failure(problems.joined(separator: "\n")) }
        count("\(kind) opened")
        return true
    }

    /// Several reasons for a rejection can apply, so that the error may be that of another one.
    private static func isRejection(_ error: SwiftDataError) -> Bool {
        error == .backwardMigration || error == .newerSchemaVersion || error == .uniquenessViolation
    }

    private func expectRejection(_ body: () throws -> Void) throws {
        do { try body() } catch let error as SwiftDataError where Self.isRejection(error) { return } catch {
            throw failure("\(error)")
        }
        throw failure("the version is not rejected")
    }

    private mutating func compare(_ found: Store.Rows, _ version: SchemaVersion) throws {
        let differences = reference.compare(found, version)
        guard differences.isEmpty else { throw failure(differences.joined(separator: "\n")) }
    }

    /// Opens the store read-only, which shows what an opening that writes would show, or throws an error.
    private mutating func readOnly(_ version: SchemaVersion) throws {
        log.append("read-only \(version)")
        let found: Store.Rows
        do { found = try store.open(version, as: nil, stage: nil) } catch let error as SwiftDataError {
            guard SwiftDataError.loadIssueModelContainer ~= error || Self.isRejection(error) else {
                throw failure("\(error)")
            }
            if version.number == opened.last?.number { throw failure("the version in use is rejected: \(error)") }
            count("read-only rejected")
            return
        } catch {
            throw failure("\(error)")
        }
        var expected = reference
        do { try expected.open(version, as: versions.count, isReadOnly: true) { try store.hasValues($0) } } catch let
            rejection
            as StoreReference.Rejection
        {
            throw failure("read-only, the version is not rejected: \(rejection.reason)")
        }
        let differences = expected.compare(found, version, isReadOnly: true)
        guard differences.isEmpty else { throw failure("read-only: \(differences.joined(separator: "\n"))") }
        count("read-only opened")
    }

    // MARK: Rows

    private mutating func changeRows() throws {
        guard let last = opened.last else { return }
        for _ in 0..<random.below(4) {
            // Another program may have the store open.
            let other = random.below(3) == 0 ? random.pick(opened) : last
            let version = reference.isUsable(other) ? other : last
            guard reference.isUsable(version) else { continue }
            let change = reference.change(by: version, newKey: key + 1, using: &random)
            if change.entity != nil, !change.isDuplicate { key += 1 }
            log.append("version \(version.number) \(change)")
            var isRejected = false
            do { try store.apply(change) } catch  where change.isDuplicate { isRejected = true } catch {
                throw failure("\(error)")
            }
            if change.isDuplicate {
                if !isRejected { throw failure("a value is not unique") }
                count("change rejected")
            }
        }
        guard reference.isUsable(last) else { return }
        do { try compare(try store.open(last, as: nil, stage: nil), last) } catch let error as Failure {
            throw error
        } catch {
            throw failure("\(error)")
        }
    }
}

/// The sequences in a run of the tests.
package enum SchemaSequenceNumbers {
    package static let variable = "CHRONICLE_SCHEMA_SEQUENCES"

    /// Returns the numbers in the environment, such as `500` for the first ones or `120-129` for some of them, or as many as usual.
    package static func value(_ usual: Int) -> Range<Int> {
        let numbers = ProcessInfo.processInfo.environment[variable]?.split(separator: "-").compactMap { Int($0) } ?? []
        guard let last = numbers.last else { return 0..<usual }
        return numbers.count == 1 ? 0..<last : numbers[0]..<last + 1
    }

    private static var hasSeed: Bool { ProcessInfo.processInfo.environment[TestSeed.variable] != nil }

    /// Returns the generator of a sequence: that of its number, or of the seed in the environment as well.
    package static func generator(_ number: Int) -> SplitMix {
        hasSeed ? TestSeed.generator(number) : SplitMix(state: UInt64(number))
    }

    /// How to repeat a sequence that failed.
    package static func description(_ number: Int) -> String {
        (hasSeed ? "\(TestSeed.description) " : "") + "\(variable)=\(number)-\(number)"
    }
}
