import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

// The listings of the guide about exports and replays.

/// Copies a store to a new one with a file between them.
func copy(_ source: ModelContainer, to replica: ModelContainer, with url: URL) throws -> DefaultHistoryToken {
    let token = try source.exportHistory(to: url)
    try replica.replayHistory(from: url)
    return token
}

/// Returns the changes that a replica does not have.
func newChanges(_ source: ModelContainer, for replica: ModelContainer) throws -> Data {
    var part = Data()
    let start = try replica.replayedHistoryToken().map { HistoryStart.token($0) } ?? .beginning
    try source.exportHistory(startingAt: start) { line in part.append(line) }
    return part
}

@Suite struct ReplayListings {
    @Test func aReplicaReceivesTheChangesOfItsSource() throws {
        let source = try TestStore(.inMemory, preservesValues: true)
        let replica = try TestStore(.inMemory)
        let url = source.directory.file("export.jsonl")
        try source.add("North", "South")
        let token = try copy(source.container, to: replica.container, with: url)
        #expect(try replica.container.replayedHistoryToken() == token)
        try source.add("East")
        var part: Data? = try newChanges(source.container, for: replica.container)
        let count = try replica.container.replayHistory {
            defer { part = nil }
            return part
        }
        #expect(count == 1)
        let names = try replica.reading { try $0.fetch(FetchDescriptor<Trip>()).map(\.name) }
        #expect(names.sorted() == ["East", "North", "South"])
    }
}
