import ChronicleTestSupport
import Foundation

/// Changes bytes of a file, and writes the files that SQLite keeps next to it.
struct PageMutations {
    let url: URL
    private let pageSize: Int

    init(_ url: URL, pageSize: Int) {
        self.url = url
        self.pageSize = pageSize
    }

    func apply(_ random: inout SplitMix) throws {
        var bytes = [UInt8](try Data(contentsOf: url))
        for _ in 0..<random.pick([1, 1, 1, 2, 3]) where bytes.count > pageSize { damage(&bytes, &random) }
        try Data(bytes).write(to: url)
        if random.chance(10) { try writeBeside(&random) }
    }

    private func damage(_ bytes: inout [UInt8], _ random: inout SplitMix) {
        let pages = bytes.count / pageSize
        let page = random.below(pages) * pageSize
        switch random.below(16) {
        case 0...3:
            for _ in 0..<random.pick([1, 1, 2, 4, 16, 64, 512]) {
                bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
            }
        // The header of a page, which contains page numbers and offsets.
        // https://www.sqlite.org/fileformat.html#b_tree_pages
        case 4...7:
            for _ in 0..<random.pick([1, 1, 2, 4]) {
                write(random.pick(Self.numbers), at: page + random.below(min(pageSize, 64)), &bytes, &random)
            }
        case 8: write(random.pick(Self.numbers), at: random.below(100), &bytes, &random)
        case 9: fill(&bytes, page..<page + pageSize) { 0 }
        case 10:
            var noise = random
            fill(&bytes, page..<page + pageSize) { UInt8(truncatingIfNeeded: noise.next()) }
            random = noise
        case 11:
            let other = random.below(pages) * pageSize
            for offset in 0..<pageSize { bytes.swapAt(page + offset, other + offset) }
        case 12:
            let other = random.below(pages) * pageSize
            bytes.replaceSubrange(page..<page + pageSize, with: Array(bytes[other..<other + pageSize]))
        case 13: bytes.removeLast(random.pick([1, pageSize, random.below(bytes.count)]))
        case 14: bytes += random.bytes(random.pick([1, pageSize, 3 * pageSize]))
        default:
            let start = random.below(bytes.count)
            bytes.removeSubrange(start..<min(start + random.pick([1, 4, 100, pageSize]), bytes.count))
        }
    }

    private static let numbers: [UInt32] = [
        0, 1, 2, 5, 13, 127, 128, 255, 0xFF00, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF,
    ]

    /// Writes a number in one, two, or four bytes, most significant byte first.
    private func write(_ number: UInt32, at offset: Int, _ bytes: inout [UInt8], _ random: inout SplitMix) {
        let count = random.pick([1, 2, 4])
        for index in 0..<count where offset + index < bytes.count {
            bytes[offset + index] = UInt8(truncatingIfNeeded: number >> UInt32(8 * (count - 1 - index)))
        }
    }

    private func fill(_ bytes: inout [UInt8], _ range: Range<Int>, _ byte: () -> UInt8) {
        for index in range where index < bytes.count { bytes[index] = byte() }
    }

    /// Writes an invalid log, log index or rollback journal beside the file.
    private func writeBeside(_ random: inout SplitMix) throws {
        let magic: [(String, [UInt8])] = [
            ("-wal", [0x37, 0x7F, 0x06, 0x82, 0x00, 0x2D, 0xE2, 0x18]), ("-shm", [0x18, 0xE2, 0x2D, 0x00]),
            ("-journal", [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]), ("-wal", []), ("-journal", []),
        ]
        let (suffix, start) = random.pick(magic)
        let rest = random.chance(50) ? random.bytes(random.below(3 * pageSize)) : [UInt8](repeating: 0, count: 4096)
        try Data(start + rest).write(to: URL(fileURLWithPath: url.path + suffix))
    }
}
