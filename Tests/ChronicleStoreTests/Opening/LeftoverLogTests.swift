import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// A file that another one replaced, beside the write-ahead log of the former file.
///
/// https://github.com/tursodatabase/turso/issues/8103
@Suite struct LeftoverLogTests {
    /// The file that replaces the former one.
    enum Replacement: CaseIterable {
        case former, older, empty, vacuumed, other, otherEarlier
    }

    private struct Content: Equatable {
        let names: [String]
        let token: DefaultHistoryToken
    }

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ name: String) throws -> ModelContainer {
        try ModelContainer(
            for: Trip.self,
            configurations: ModelConfiguration(url: directory.file("\(name).store"), durability: .relaxed))
    }

    private func content(_ container: ModelContainer) throws -> Content {
        let context = ModelContext(container)
        return Content(
            names: try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])).map(\.name),
            token: try context.currentHistoryToken())
    }

    private func add(_ names: [String], _ container: ModelContainer) throws {
        for name in names {
            let context = ModelContext(container)
            context.insert(Trip(name: name, destination: String(repeating: name, count: 300)))
            try context.save()
        }
    }

    /// Returns the content of the replacement, which has been moved to the file `test.store`.
    private func replace(with replacement: Replacement) throws -> Content {
        let former = try open("former")
        let url = directory.file("former.store")
        try add((0..<40).map { "a\($0)" }, former)
        _ = try Shell.sqlite3(url, "PRAGMA wal_checkpoint(TRUNCATE)")
        // Another program copies the files: closing a file that a process has open releases its locks.
        let target = directory.file("test.store")
        let log = directory.file("test.store-wal")
        func copy(_ source: String, to copy: URL) throws {
            let (status, _, errors) = try Shell.run("/bin/cp", [url.path + source, copy.path])
            #expect(status == 0, "\(errors)")
        }
        if replacement == .older { try copy("", to: target) }
        try add((0..<200).map { "b\($0)" }, former)
        let context = ModelContext(former)
        try context.delete(model: Trip.self, where: #Predicate { $0.name.contains("7") })
        _ = try Shell.sqlite3(url, "PRAGMA wal_checkpoint(TRUNCATE)")
        if replacement == .former { try copy("", to: target) }
        try add((0..<30).map { "c\($0)" }, former)
        try context.delete(model: Trip.self, where: #Predicate { $0.name.contains("3") })
        switch replacement {
        case .former, .older: break
        case .empty: try Data().write(to: target)
        case .vacuumed: _ = try Shell.sqlite3(url, "VACUUM INTO '\(target.path)'")
        case .other, .otherEarlier:
            do { try add((0..<(replacement == .other ? 300 : 20)).map { "x\($0)" }, open("test")) }
        }
        var expected = try content(former)
        if replacement != .former {
            try Data(contentsOf: target).write(to: directory.file("copy.store"))
            expected = try content(open("copy"))
        }
        try copy("-wal", to: log)
        return expected
    }

    /// The content is that of one of the two files, or the damage is reported.
    @Test(arguments: Replacement.allCases)
    func aLeftoverLogIsNotAppliedSilently(_ replacement: Replacement) throws {
        let expected = try replace(with: replacement)
        let former = try content(open("former"))
        do {
            let container = try open("test")
            let found = try content(container)
            let problems = try VerificationTests.problems(in: directory.file("test.store"))
            // A file of zero bytes becomes a new store, with another identifier.
            let isExpected = replacement == .empty ? found.names == [] : found == expected || found == former
            #expect(isExpected || !problems.isEmpty)
            // Readers of the former file do not continue.
            if found != former {
                let context = ModelContext(container)
                let error = try #require(try failure(of: { try context.fetchHistory(.after(former.token)) }))
                #expect(SwiftDataError.historyTokenExpired ~= error || error == .historyTokenStoreMismatch, "\(error)")
            }
        } catch let error as SwiftDataError { #expect(error == .damagedFile, "\(error)") }
    }
}
