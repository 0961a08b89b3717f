import Chronicle
import Foundation
import Testing

@testable import JournalWorker

/// If a machine or process stops during a write, a part of the last record remains.
@Suite struct TornRecordTests {
    @Test(arguments: ["short", String(repeating: "long", count: 300)])
    func recordTruncatedAtAnyByteIsDropped(_ text: String) throws {
        let fixture = try Fixture()
        try fixture.write("one", "two")
        let size = try fixture.bytes.count
        try fixture.write(text)
        let bytes = try fixture.bytes
        for end in size..<bytes.count {
            let cut = try Fixture(fixture.directory, fixture.copy(bytes.prefix(end)))
            #expect(try cut.bytes.count == size, "\(end - size) bytes were not removed")
            #expect(try cut.texts() == ["one", "two"])
            #expect(try cut.history().count == 2)
            try cut.write("three")
            #expect(try cut.again().texts() == ["one", "two", "three"])
        }
    }

    /// A file system may have allocated space for bytes that were not written.
    @Test func lastRecordWithAnyChangedByteIsDropped() throws {
        let fixture = try Fixture()
        try fixture.write("one", "two")
        let size = try fixture.bytes.count
        try fixture.write("three")
        let bytes = try fixture.bytes
        for index in size..<bytes.count {
            var changed = bytes
            changed[index] ^= 1
            #expect(try Fixture(fixture.directory, fixture.copy(changed)).texts() == ["one", "two"])
        }
        let zeros = bytes.prefix(size) + Data(count: 5_000)
        #expect(try Fixture(fixture.directory, fixture.copy(zeros)).texts() == ["one", "two"])
    }

    /// Bytes inside of a torn record that look like records are not treated as later records.
    @Test func tornRecordMayContainRecords() throws {
        let fixture = try Fixture()
        try fixture.write("one", "two")
        let other = try Fixture()
        for _ in 0..<5 { try other.write("other") }
        for journal in [try fixture.bytes, try other.bytes] {
            let torn = try Fixture(fixture.directory, fixture.copy(fixture.bytes))
            let context = torn.context()
            let note = Note("contains a journal")
            note.data = journal
            context.insert(note)
            try context.save()
            let cut = try fixture.copy(torn.bytes.dropLast())
            #expect(try Fixture(fixture.directory, cut).texts() == ["one", "two"])
        }
    }

    @Test func readersKeepATornRecordForTheNextWriter() throws {
        let fixture = try Fixture()
        try fixture.write("one")
        let end = try fixture.bytes.count
        let handle = try FileHandle(forWritingTo: fixture.url)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("JRNT and no more".utf8))
        try handle.close()
        #expect(try fixture.texts() == ["one"])
        #expect(try fixture.bytes.count > end)
        try fixture.write("two")
        #expect(try fixture.texts() == ["one", "two"])
        #expect(try fixture.again().texts() == ["one", "two"])
    }
}
