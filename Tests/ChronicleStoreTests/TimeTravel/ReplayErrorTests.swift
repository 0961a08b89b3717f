import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Damaged exports, exports of other stores, and replicas with other changes.
@Suite struct ReplayErrorTests {
    private let source: TestStore
    private let data: Data
    private static let models: [any PersistentModel.Type] = [LinkItem.self, LinkTag.self, LinkPhoto.self]

    init() throws {
        source = try TestStore(.inMemory, Self.models, preservesValues: true)
        let context = source.context()
        for number in 0..<4 {
            context.insert(LinkItem("item \(number)", tags: [LinkTag("tag \(number)")]))
            try context.save()
        }
        try context.items()[0].number = 7
        context.delete(try context.items()[1])
        try context.save()
        data = try ReplicaHarness.export(source)
    }

    private func replica() throws -> TestStore { try TestStore(.inMemory, Self.models) }

    /// Replays a damaged export and then the complete one.
    ///
    /// - Returns: The error of the first.
    private func recover(from damaged: Data, _ comment: Comment) throws -> SwiftDataError? {
        let replica = try replica()
        let error = try failure { try ReplicaHarness.replay(damaged, to: replica) }
        // The replica is at the end of a transaction of the source.
        let position = try replica.container.replayedHistoryToken()
        let tokens = try source.history().map(\.token)
        #expect(position.map(tokens.contains) ?? true, comment)
        #expect(try replica.history().count == position.map { token in tokens.count { $0 <= token } } ?? 0, comment)
        try ReplicaHarness.replay(data, to: replica)
        #expect(try ReplicaHarness.contents(replica) == ReplicaHarness.contents(source), comment)
        return error
    }

    @Test func aTruncatedExportIsReported() throws {
        for count in stride(from: 0, to: data.count, by: 97) {
            #expect(try recover(from: data.prefix(count), "\(count) bytes") == .invalidHistoryExport)
        }
        let lines = ReplicaHarness.lines(data)
        for count in lines.indices {
            let part = Data(lines[..<count].joined())
            #expect(try recover(from: part, "\(count) lines") == .invalidHistoryExport)
        }
    }

    @Test func missingRepeatedAndExchangedLinesAreReported() throws {
        let lines = ReplicaHarness.lines(data)
        for index in lines.indices {
            var (missing, repeated) = (lines, lines)
            missing.remove(at: index)
            repeated.insert(lines[index], at: index)
            #expect(try recover(from: Data(missing.joined()), "without line \(index)") == .invalidHistoryExport)
            #expect(try recover(from: Data(repeated.joined()), "line \(index) twice") == .invalidHistoryExport)
            guard index > 0 else { continue }
            var exchanged = lines
            exchanged.swapAt(index - 1, index)
            #expect(try recover(from: Data(exchanged.joined()), "line \(index) exchanged") == .invalidHistoryExport)
        }
    }

    @Test func anEditedValueIsReported() throws {
        let text = String(decoding: data, as: UTF8.self)
        let edited = Data(text.replacing("item 2", with: "item 9").utf8)
        #expect(try recover(from: edited, "edited") == .invalidHistoryExport)
        // The last line with a token, after which no checksum follows.
        let store = source.container.stores[0].identifier
        let checks = try #require(text.ranges(of: "\"checks\":{\"\(store)").last)
        let unchecked = Data(text.replacingCharacters(in: checks, with: "\"checks\":{\"other").utf8)
        #expect(try recover(from: unchecked, "check value") == .invalidHistoryExport)
        let newer = Data(text.replacing("\"version\":1", with: "\"version\":2").utf8)
        #expect(try recover(from: newer, "version") == .invalidHistoryExport)
    }

    /// A file with random damage is reported, and never half replayed.
    @Test(arguments: TestSeed.rounds(2)) func randomDamageIsReported(_ round: Int) throws {
        var random = TestSeed.generator(round)
        for attempt in 0..<60 {
            var damaged = data
            for _ in 0...random.below(3) {
                let place = damaged.startIndex + random.below(damaged.count)
                switch random.below(4) {
                case 0: damaged[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: damaged.removeSubrange(place..<min(place + 1 + random.below(40), damaged.endIndex))
                case 2: damaged.insert(contentsOf: Data("[{\"-1e999,\n".utf8), at: place)
                default: damaged.insert(contentsOf: damaged.prefix(random.below(damaged.count)), at: place)
                }
                if damaged.isEmpty { break }
            }
            let comment: Comment = "\(TestSeed.description), round \(round), attempt \(attempt)"
            let error = try recover(from: damaged, comment)
            // The line break at the end is not required, and an incomplete export may precede a complete one.
            #expect(error != nil || text(damaged).hasSuffix(text(data)), comment)
        }
    }

    private func text(_ data: Data) -> String {
        String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Exports whose values have other types than their attributes, with correct checksums.
    @Test(arguments: [
        (#""number":0"#, #""number":"x""#, "number"), (#""number":0"#, #""number":{"real":"1.5"}"#, "number"),
        (#""number":0"#, #""number":{"blob":"AQID"}"#, "number"), (#""number":0"#, #""number":{"reference":1}"#, nil),
        (#""name":"item 3""#, #""name":3"#, "name"), (#""number":7"#, #""number":"7""#, "number"),
    ])
    func aValueOfAnotherTypeIsReported(_ old: String, _ new: String, _ property: String?) throws {
        let damaged = ReplicaHarness.replacing(old, with: new, in: data)
        try #require(damaged != data)
        let error = try #require(try recover(from: damaged, "\(new)"))
        #expect(error == .invalidHistoryExport && error.detail?.contains("line ") == true, "\(error)")
        if let property { #expect(error.entityName == "LinkItem" && error.propertyName == property, "\(error)") }
    }

    /// Every property of every type with a value of every form: what a replay accepts can be fetched.
    @Test(arguments: [#""x""#, "3", #"{"real":"1.5"}"#, #"{"blob":"AQID"}"#, #"{"nan":"7ff8000000000000"}"#])
    func whatAReplayAcceptsCanBeFetched(_ value: String) throws {
        let source = try TestStore(.inMemory, [ReplicatedValues.self], preservesValues: true)
        let context = source.context()
        context.insert(ReplicatedValues("a"))
        try context.save()
        let data = try ReplicaHarness.export(source)
        let insert = try #require(String(decoding: data, as: UTF8.self).matches(of: #/"values":\{.*?\}\}\n/#).first)
        // The name of the attribute `real` is also the key of a form.
        for name in Schema(ReplicatedValues.self).entities[0].attributes.map(\.name) where name != "real" {
            let old = try #require(
                String(insert.output).firstMatch(of: try Regex(#""\#(name)":(\{[^}]*\}|"(\\.|[^"\\])*"|[^,}]+)"#)))
            let damaged = ReplicaHarness.replacing(String(old.0), with: "\"\(name)\":\(value)", in: data)
            let replica = try TestStore(.inMemory, [ReplicatedValues.self])
            let error = try failure { try ReplicaHarness.replay(damaged, to: replica) }
            #expect(error == nil || error == .invalidHistoryExport && error?.propertyName == name, "\(name)")
            let models = try replica.context().fetch(FetchDescriptor<ReplicatedValues>())
            #expect(models.count == (error == nil ? 1 : 0), "\(name)")
        }
    }

    @Test func aFileThatCannotBeReadIsReported() throws {
        let descriptor = open(source.directory.url.path, O_RDONLY)
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let replica = try replica()
        let error = try failure { try replica.container.replayHistory(from: file) }
        #expect(error == .invalidHistoryExport && error?.underlying != nil)
    }

    @Test func aFileThatCannotBeWrittenIsReported() throws {
        let file = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let error = try failure { try source.container.exportHistory(to: file) }
        #expect(error == .storeFailure && error?.underlying != nil)
    }

    @Test func anExportOfOtherModelsIsReported() throws {
        let other = try TestStore(.inMemory, [Trip.self])
        #expect(try failure { try ReplicaHarness.replay(data, to: other) } == .unknownSchema)
    }

    @Test func anExportOfAnotherSourceIsReported() throws {
        let replica = try replica()
        try ReplicaHarness.replay(data, to: replica)
        let other = try self.replica()
        other.context().insert(LinkItem("other"))
        #expect(
            try failure { try ReplicaHarness.replay(ReplicaHarness.export(other), to: replica) }
                == .historyTokenStoreMismatch)
        #expect(try failure { try ReplicaHarness.replay(data, to: source) } == .historyReplayConflict)
        #expect(try ReplicaHarness.replay(data, to: replica) == 0)
    }

    @Test func aGapIsReported() throws {
        let tokens = try source.history().map(\.token)
        let replica = try replica()
        try ReplicaHarness.replay(ReplicaHarness.export(source, through: tokens[0]), to: replica)
        let later = try ReplicaHarness.export(source, startingAt: .token(tokens[1]))
        let error = try failure { try ReplicaHarness.replay(later, to: replica) }
        #expect(error == .historyTokenGap)
        #expect(try replica.container.replayedHistoryToken() == tokens[0])
        #expect(try failure { try ReplicaHarness.replay(later, to: try self.replica()) } == .historyTokenGap)
    }

    /// The source was replaced by a backup, and has another transaction at the position of the replica.
    @Test(arguments: [1, 2]) func aForkedSourceIsReported(_ count: Int) throws {
        let source = try TestStore(.file, Self.models, preservesValues: true)
        func insert(_ name: String, _ container: ModelContainer) throws {
            let context = ModelContext(container)
            context.insert(LinkItem(name))
            try context.save()
        }
        try insert("kept", source.container)
        try source.shell("PRAGMA wal_checkpoint(TRUNCATE)")
        let backup = source.directory.file("backup.store")
        try FileManager.default.copyItem(at: source.url, to: backup)
        try insert("lost", source.container)
        let replica = try replica()
        try ReplicaHarness.replay(ReplicaHarness.export(source), to: replica)
        let restored = try ModelContainer(
            for: Schema(Self.models), configurations: [ModelConfiguration(url: backup, durability: .relaxed)])
        for number in 0..<count { try insert("other \(number)", restored) }
        var data = Data()
        try restored.exportHistory { data.append($0) }
        #expect(try failure { try ReplicaHarness.replay(data, to: replica) } == .historyTokenForked)
        #expect(try replica.number("SELECT count(*) FROM LinkItem WHERE name = 'lost'") == 1)
    }

    // MARK: Changes of the replica

    private func conflict(_ sql: String) throws -> SwiftDataError? {
        let tokens = try source.history().map(\.token)
        let replica = try replica()
        try ReplicaHarness.replay(ReplicaHarness.export(source, through: tokens[3]), to: replica)
        try replica.foreign(sql)
        let before = try ReplicaHarness.contents(replica)
        let error = try failure { try ReplicaHarness.replay(data, to: replica) }
        #expect(try ReplicaHarness.contents(replica) == before)
        #expect(try replica.container.replayedHistoryToken() == tokens[3])
        return error
    }

    @Test func conflictingChangesAreReported() throws {
        let updated = try conflict("UPDATE LinkItem SET number = 1 WHERE id = 1")
        #expect(updated == .historyReplayConflict && updated?.propertyName == "number")
        #expect(try conflict("UPDATE LinkItem SET name = 'x' WHERE id = 2") == .historyReplayConflict)
        let deleted = try conflict("DELETE FROM LinkItem WHERE id = 1")
        #expect(deleted == .historyReplayConflict && deleted?.persistentIdentifier?.integerPrimaryKey == 1)
        // The delete of the item would cascade to a photo that the source does not have.
        #expect(
            try conflict(
                "INSERT INTO LinkPhoto(name) VALUES ('own'); INSERT INTO \"LinkItem.photos\" VALUES (2, 1)")
                == .historyReplayConflict)
    }

    @Test func otherChangesOfTheReplicaRemain() throws {
        let tokens = try source.history().map(\.token)
        let replica = try replica()
        try ReplicaHarness.replay(ReplicaHarness.export(source, through: tokens[3]), to: replica)
        // Other attributes of a model that the source updates, and a model of the replica.
        try replica.foreign("UPDATE LinkItem SET name = 'own' WHERE id = 1; INSERT INTO LinkPhoto(name) VALUES ('own')")
        #expect(try ReplicaHarness.replay(data, to: replica) == 1)
        #expect(try replica.number("SELECT count(*) FROM LinkItem WHERE name = 'own' AND number = 7") == 1)
        // The key of a model of the replica.
        let context = source.context()
        context.insert(LinkItem("photo"))
        try context.items()[0].photos = [LinkPhoto("of the source")]
        try context.save()
        let before = try ReplicaHarness.contents(replica)
        let error = try failure { try ReplicaHarness.replay(ReplicaHarness.export(source), to: replica) }
        #expect(error == .uniquenessViolation && error?.entityName == "LinkPhoto")
        #expect(try ReplicaHarness.contents(replica) == before)
    }
}
