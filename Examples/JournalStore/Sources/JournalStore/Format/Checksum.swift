/// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78), which finds every error of up to 32 bits in a row.
enum Checksum {
    /// Returns the checksum of bytes, optionally continuing an earlier one: `of(b, after: of(a))` is that of both.
    static func of(_ bytes: UnsafeRawBufferPointer, after seed: UInt32 = 0) -> UInt32 {
        tables.withUnsafeBufferPointer { tables in
            var sum = ~seed
            var index = 0
            // Eight bytes at a time: a save of many models is a long record.
            while index + 8 <= bytes.count {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                let mixed = word ^ UInt64(sum)
                sum = 0
                for byte in 0..<8 {
                    sum ^= tables[(7 - byte) * 256 + Int(truncatingIfNeeded: mixed >> (UInt64(byte) * 8)) & 255]
                }
                index += 8
            }
            while index < bytes.count {
                sum = sum >> 8 ^ tables[Int((sum ^ UInt32(bytes[index])) & 255)]
                index += 1
            }
            return ~sum
        }
    }

    static func of(_ bytes: some Collection<UInt8>, after seed: UInt32 = 0) -> UInt32 {
        bytes.withContiguousStorageIfAvailable { of(UnsafeRawBufferPointer($0), after: seed) }
            ?? Array(bytes).withUnsafeBytes { of($0, after: seed) }
    }

    /// Table n has the effect of a byte on the checksum if n more bytes follow it.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var sum = UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0x82F6_3B78 : sum >> 1 }
            tables[byte] = sum
        }
        for index in 256..<tables.count {
            let sum = tables[index - 256]
            tables[index] = sum >> 8 ^ tables[Int(sum & 255)]
        }
        return tables
    }()
}
