import Chronicle
import Foundation

/// The first bytes of a journal: signature, version, identifier, and checksum.
struct JournalHeader {
    static let size = 40
    static let version: UInt32 = 1
    private static let signature = Array("ChronicleJournal".utf8)

    let identifier: UUID

    /// The initial value of the records' checksums, which makes records of another journal invalid in this one, even
    /// within a blob.
    var salt: UInt32 { withUnsafeBytes(of: identifier.uuid) { Checksum.of($0) } }

    var bytes: [UInt8] {
        var writer = RecordWriter(capacity: Self.size)
        writer.raw(Self.signature)
        writer.fixed(Self.version)
        withUnsafeBytes(of: identifier.uuid) { writer.raw($0) }
        writer.fixed(Checksum.of(writer.bytes))
        return writer.bytes
    }

    init(identifier: UUID) { self.identifier = identifier }

    /// Decodes a header.
    ///
    /// - Throws: `SwiftDataError.notADatabase`, `.unsupportedFileVersion`, or `.damagedFile`.
    init(_ bytes: [UInt8]) throws {
        guard bytes.starts(with: Self.signature.prefix(bytes.count)) else {
            throw SwiftDataError.notADatabase.with(detail: "the file is not a journal")
        }
        let damage = SwiftDataError.damagedFile.with(detail: "the header of the journal is damaged")
        guard bytes.count == Self.size else { throw damage }
        var reader = RecordReader(bytes, Self.signature.count..<Self.size)
        let version = try reader.fixed(UInt32.self)
        guard version <= Self.version else {
            throw SwiftDataError.unsupportedFileVersion.with(
                detail: "the journal has version \(version), this program supports version \(Self.version)")
        }
        let (low, high) = (try reader.fixed(UInt64.self), try reader.fixed(UInt64.self))
        guard version == Self.version, try reader.fixed(UInt32.self) == Checksum.of(bytes.prefix(Self.size - 4)) else {
            throw damage
        }
        var uuid = UUID().uuid
        withUnsafeMutableBytes(of: &uuid) { uuid in
            uuid.storeBytes(of: low.littleEndian, as: UInt64.self)
            uuid.storeBytes(of: high.littleEndian, toByteOffset: 8, as: UInt64.self)
        }
        identifier = UUID(uuid: uuid)
    }
}
