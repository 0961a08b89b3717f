import Foundation

/// Decompresses a raw deflate stream (RFC 1951), in which Core Data keeps the model of a store. The input comes from a
/// file: every read is checked, and the result has a limit.
struct Inflate {
    struct Failure: Error {}

    private let input: [UInt8]
    private let limit: Int
    private var position = 0
    private var bits: UInt32 = 0
    private var bitCount = 0
    private var output: [UInt8] = []

    /// Ignores bytes after the end of the stream. The limit is a number of bytes.
    static func decompress(_ data: Data, limit: Int = 1 << 26) throws -> [UInt8] {
        var inflate = Inflate(input: [UInt8](data), limit: limit)
        return try inflate.run()
    }

    private init(input: [UInt8], limit: Int) { (self.input, self.limit) = (input, limit) }

    private mutating func run() throws -> [UInt8] {
        var isLast = false
        while !isLast {
            isLast = try take(1) == 1
            switch try take(2) {
            case 0: try copyStored()
            case 1: try decode(Self.fixedLiterals, Self.fixedDistances)
            case 2:
                let (literals, distances) = try readTables()
                try decode(literals, distances)
            default: throw Failure()
            }
        }
        return output
    }

    // MARK: Bits

    /// The first bit is in the lowest position. At most 16 are taken at a time.
    private mutating func take(_ count: Int) throws -> Int {
        while bitCount < count {
            guard position < input.count else { throw Failure() }
            bits |= UInt32(input[position]) << UInt32(bitCount)
            position += 1
            bitCount += 8
        }
        let result = bits & ((1 << UInt32(count)) - 1)
        bits >>= UInt32(count)
        bitCount -= count
        return Int(result)
    }

    private mutating func append(_ byte: UInt8) throws {
        guard output.count < limit else { throw Failure() }
        output.append(byte)
    }

    // MARK: Blocks

    private mutating func copyStored() throws {
        (bits, bitCount) = (0, 0)
        guard position + 4 <= input.count else { throw Failure() }
        let length = Int(input[position]) | Int(input[position + 1]) << 8
        let complement = Int(input[position + 2]) | Int(input[position + 3]) << 8
        position += 4
        guard length ^ 0xFFFF == complement, length <= input.count - position, length <= limit - output.count else {
            throw Failure()
        }
        output += input[position..<position + length]
        position += length
    }

    private mutating func decode(_ literals: Codes, _ distances: Codes) throws {
        while true {
            let symbol = try symbol(literals)
            if symbol < 256 {
                try append(UInt8(symbol))
            } else if symbol == 256 {
                return
            } else {
                guard symbol - 257 < Self.lengths.count else { throw Failure() }
                let length = Self.lengths[symbol - 257] + (try take(Self.lengthBits[symbol - 257]))
                let code = try self.symbol(distances)
                guard code < Self.distances.count else { throw Failure() }
                let distance = Self.distances[code] + (try take(Self.distanceBits[code]))
                guard distance <= output.count, length <= limit - output.count else { throw Failure() }
                // The copied bytes can be among the new ones.
                for _ in 0..<length { output.append(output[output.count - distance]) }
            }
        }
    }

    private mutating func readTables() throws -> (literals: Codes, distances: Codes) {
        let literalCount = try take(5) + 257
        let distanceCount = try take(5) + 1
        let codeCount = try take(4) + 4
        var codeLengths = [Int](repeating: 0, count: 19)
        let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
        for index in order.prefix(codeCount) { codeLengths[index] = try take(3) }
        let codes = try Codes(codeLengths)
        var lengths: [Int] = []
        while lengths.count < literalCount + distanceCount {
            let symbol = try symbol(codes)
            switch symbol {
            case 0..<16: lengths.append(symbol)
            case 16:
                guard let last = lengths.last else { throw Failure() }
                lengths += [Int](repeating: last, count: try take(2) + 3)
            case 17: lengths += [Int](repeating: 0, count: try take(3) + 3)
            default: lengths += [Int](repeating: 0, count: try take(7) + 11)
            }
        }
        guard lengths.count == literalCount + distanceCount else { throw Failure() }
        return (try Codes(Array(lengths[..<literalCount])), try Codes(Array(lengths[literalCount...])))
    }

    // MARK: Huffman codes

    /// The numbers of codes of each length, and the symbols in the order of their codes.
    private struct Codes {
        var counts = [Int](repeating: 0, count: 16)
        var symbols: [Int] = []

        init(_ lengths: [Int]) throws {
            for length in lengths { counts[length] += 1 }
            counts[0] = 0
            var left = 1
            for length in 1..<16 {
                left = left << 1 - counts[length]
                // More codes than the length allows.
                if left < 0 { throw Failure() }
            }
            for length in 1..<16 {
                for (symbol, own) in lengths.enumerated() where own == length { symbols.append(symbol) }
            }
        }
    }

    private mutating func symbol(_ codes: Codes) throws -> Int {
        var (code, first, index) = (0, 0, 0)
        for length in 1..<16 {
            code |= try take(1)
            let count = codes.counts[length]
            if code - count < first { return codes.symbols[index + code - first] }
            index += count
            first = (first + count) << 1
            code <<= 1
        }
        throw Failure()
    }

    private static let lengths = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    private static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let distances = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
        6145,
        8193, 12289, 16385, 24577,
    ]
    private static let distanceBits = [
        0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
    ]

    private static let fixedLiterals = fixed(
        (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    private static let fixedDistances = fixed([Int](repeating: 5, count: 30))

    private static func fixed(_ lengths: [Int]) -> Codes {
        do { return try Codes(lengths) } catch { preconditionFailure("the fixed codes are valid") }
    }
}
