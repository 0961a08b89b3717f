#if Seals
    import Chronicle
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// The program of `Examples/SealedTrips`.
    @Suite struct SealedTripsTests {
        private let directory: TemporaryDirectory
        private var store: String { directory.file("trips.store").path }
        private var repository: String { directory.file("heads").path }

        init() throws { directory = try TemporaryDirectory() }

        /// The program is in the directory of the test bundle, because the test target depends on it.
        @discardableResult
        private func run(_ arguments: String..., status expected: Int32 = 0) throws -> String {
            let program = Worker.program.deletingLastPathComponent().appending(path: "SealedTrips")
            let (status, output, errors) = try Shell.run(program.path, arguments)
            #expect(status == expected, "\(arguments): \(errors)")
            return status == 0 ? output : errors
        }

        private func git(_ arguments: String...) throws -> String {
            try Shell.run("/usr/bin/env", ["git", "-C", repository] + arguments).output
        }

        @Test func headsAreDelivered() throws {
            try run("add", store, "Rome", "900")
            #expect(try run("deliver", store, repository) == "delivered 1\n")
            #expect(try run("deliver", store, repository).isEmpty)
            try run("add", store, "Oslo", "700")
            // What an interrupted delivery has written has no effect.
            let file = directory.file("heads").appending(path: "heads.txt")
            try Data("6:incomplete".utf8).write(to: file)
            #expect(try run("deliver", store, repository) == "delivered 1\n")
            let heads = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
                try #require(HistorySeal(String($0)))
            }
            #expect(heads.map(\.position) == [3, 6])
            #expect(try git("log", "--format=%s") == "Seal the history up to 6\nSeal the history up to 3\n")
            #expect(try git("status", "--porcelain").isEmpty)
        }

        @Test func anOlderFileIsAnError() throws {
            try run("add", store, "Rome", "900")
            try run("deliver", store, repository)
            _ = try Shell.sqlite3(directory.file("trips.store"), "VACUUM INTO '\(directory.file("copy.store").path)'")
            try run("add", store, "Oslo", "700")
            try run("deliver", store, repository)
            let copy = directory.file("copy.store").path
            #expect(
                try run("deliver", copy, repository, status: 1).contains(
                    "is not in the chain, which ends at position 3"))
            try run("add", copy, "Paris", "800")
            #expect(try run("deliver", copy, repository, status: 1).contains("no seal with its hash there"))
            #expect(try git("rev-list", "--count", "HEAD") == "2\n")
        }
    }
#endif
