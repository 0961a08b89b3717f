import Chronicle
import ChronicleAppleStore
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

/// Files that Apple's frameworks made. They are not part of the repository: set `CHRONICLE_APPLE_STORES` to a folder of them.
@Suite("Stores made by Apple's frameworks")
struct RealFileTests {
    static let files: [URL] = {
        guard let folder = ProcessInfo.processInfo.environment["CHRONICLE_APPLE_STORES"],
            let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
        else { return [] }
        return names.filter { $0.hasSuffix(".store") || $0.hasSuffix(".sqlite") }.sorted()
            .map { URL(fileURLWithPath: folder).appending(path: $0) }
    }()

    @Test(arguments: files) func readsEverything(_ url: URL) throws {
        let schema = try AppleStore.schema(ofFileAt: url)
        let store = try AppleStore(AppleStoreConfiguration(url: url), schema: schema)
        #expect(store.hasModelNames)
        let copy = try TemporaryDirectory().file("copy")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: url.path + suffix) {
            try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path + suffix)
        }
        let plain = try Connection(path: copy.path, mode: .readWrite)
        for entity in schema.entities where entity.superentity == nil {
            var count = 0
            try store.fetchRows(ofEntity: entity.name) { row in
                count += 1
                let kind = try #require(schema.entitiesByName[row.persistentIdentifier.entityName])
                for property in kind.storedProperties where property.attribute != nil {
                    #expect(throws: Never.self) { try property.decode(row.values[property.slot]) }
                }
            }
            #expect(try count == Int(plain.scalarInt64("SELECT count(*) FROM Z\(entity.name.uppercased())") ?? -1))
            #expect(try store.fetchCount(ofEntity: entity.name) == count)
        }
        guard store.recordsHistory else { return }
        let all = try store.fetchHistory(HistoryDescriptor())
        #expect(try all.count == Int(plain.scalarInt64("SELECT count(*) FROM ATRANSACTION") ?? -1))
        let changes = all.flatMap(\.changes)
        #expect(try changes.count == Int(plain.scalarInt64("SELECT count(*) FROM ACHANGE") ?? -1))
        for change in changes {
            let entity = try #require(schema.entitiesByName[change.changedPersistentIdentifier.entityName])
            guard case .update(let update) = change else { continue }
            #expect(!update.updatedAttributeNames.isEmpty)
            #expect(update.updatedAttributeNames.allSatisfy { entity.propertiesByName[$0] != nil })
        }
    }

    /// The schema is that of the file.
    @Test(arguments: files) func convertsEverything(_ url: URL) throws {
        let before = try Self.folder(of: url)
        let schema = try AppleStore.schema(ofFileAt: url)
        let store = try AppleStore(AppleStoreConfiguration(url: url), schema: schema)
        let new = try TemporaryDirectory().file("new.store")
        let conversion = try store.convert(to: new)
        for omission in conversion.omissions { print(url.lastPathComponent, omission) }
        for entity in schema.entities where entity.superentity == nil {
            let names = schema.kinds(of: entity.name)
            let count = conversion.tables.filter { names.contains($0.name) }.reduce(0) { $0 + $1.count }
            #expect(try count == store.fetchCount(ofEntity: entity.name), "\(entity.name)")
        }
        if store.recordsHistory {
            let counts = try store.historyCounts()
            #expect(conversion.transactionCount == counts.transactions)
            #expect(conversion.changeCount == counts.changes)
        }
        try DefaultStore.verify(fileAt: new) { Issue.record("\($0)") }
        let converted = try DefaultStore(readingHistoryAt: new)
        #expect(converted.schema.versionHash == schema.versionHash)
        print(
            url.lastPathComponent, conversion.tables.map { "\($0.name) \($0.count)" },
            conversion.transactionCount, conversion.changeCount)
        #expect(try Self.folder(of: url) == before)
    }

    private static func folder(of url: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path).sorted()
    }
}
