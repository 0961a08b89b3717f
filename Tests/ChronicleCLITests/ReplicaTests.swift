import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Stores that `chronicle import` creates, and that programs open.
@Suite struct ReplicaTests {
    private let replica: URL

    init() throws { replica = try TemporaryDirectory().file("replica.store") }

    private func context<Model: PersistentModel>(_ type: Model.Type, _ file: URL) throws -> ModelContext {
        ModelContext(
            try ModelContainer(
                for: Schema([type]),
                configurations: [ModelConfiguration(url: file, durability: .relaxed, preservesValues: true)]))
    }

    @Test func valuesArePreserved() async throws {
        let directory = try TemporaryDirectory()
        let original = try context(First.Stone.self, directory.file("a.store"))
        original.insert(First.Stone())
        try original.save()
        let export = directory.file("export")
        #expect(try await CommandRun("export", directory.file("a.store").path, "-o", export.path).status == 0)
        #expect(try await CommandRun("import", replica.path, export.path).status == 0)
        let log = try await CommandRun("log", replica.path)
        #expect(log.output.contains("size: 1\n"), "\(log.output)")
        _ = try Shell.sqlite3(replica, "UPDATE Stone SET size = 9")
        let newest = try await CommandRun("log", "-n", "1", replica.path)
        #expect(newest.output.contains("size: 1 -> 9"), "\(newest.output)")
        // Without a value, it would begin with a snapshot.
        #expect(try await CommandRun("export", "-o", directory.file("b").path, replica.path).errors.isEmpty)
    }

    /// The tool is no program that uses the models.
    @Test(arguments: [false, true]) func removedPropertiesAreRemoved(_ isRenamed: Bool) async throws {
        let directory = try TemporaryDirectory()
        let original = try context(First.Stone.self, directory.file("a.store"))
        original.insert(First.Stone())
        try original.save()
        let export = directory.file("export")
        let exported = try await CommandRun("export", directory.file("a.store").path, "-o", export.path)
        #expect(exported.status == 0, "\(exported.errors)")
        let imported = try await CommandRun("import", replica.path, export.path)
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(
            try Shell.sqlite3(replica, "SELECT count(*) FROM chronicle_meta WHERE name LIKE 'known:%'") == "0")
        #expect(try context(First.Stone.self, replica).fetch(FetchDescriptor<First.Stone>()).map(\.weight) == [2])
        _ = try context(Second.Stone.self, replica)
        if isRenamed {
            let stones = try context(Renamed.Stone.self, replica).fetch(FetchDescriptor<Renamed.Stone>())
            #expect(stones.map(\.weight) == [1])
        } else {
            let stones = try context(Again.Stone.self, replica).fetch(FetchDescriptor<Again.Stone>())
            #expect(stones.map { [$0.size, $0.weight] } == [[1, 0]])
        }
    }
}

private enum First {
    @Model fileprivate final class Stone {
        var size = 1
        var weight = 2
        init() {}
    }
}

private enum Second {
    @Model fileprivate final class Stone {
        var size = 1
        init() {}
    }
}

/// Not equal to ``First``, whose values would return.
private enum Again {
    @Model fileprivate final class Stone {
        var size = 1
        var weight = 0
        var color: String?
        init() {}
    }
}

private enum Renamed {
    @Model fileprivate final class Stone {
        @Attribute(originalName: "size") var weight: Int = 1
        init() {}
    }
}
