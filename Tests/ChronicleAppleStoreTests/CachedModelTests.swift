import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleAppleStore

@Suite("The cached model of a store of SwiftData")
struct CachedModelTests {
    /// Streams of zlib, with each kind of block.
    @Test(arguments: [
        ("empty", "AwA=", 0, 0),
        ("fixed", "KynKLFAoLskvUChILSrOz1MoISgAAA==", 51, 2651764299),
        ("run", "S0wcBcQCAA==", 300, 2308380937),
        (
            "dynamic",
            "dVLRCoAwCPyV/ZrRqGCroP6fAjc4PX1xm5yn3q3ez9Gus2zSu4xYR07avUtZa3ulLPUPmoCr4gGhV0swX55CsUoBCQ"
                + "+b5fMEFEChwAXczBA6HI6TbAd8iLCqxctnVdiDpCBBsulsL2SLDMEaViRxyC5iX9EQuF7SNtYNVMg/JUvoZyfz8J/E"
                + "fypQhE1KGMlBFpaaUE1CZT00xDDTBw==",
            970, 4267662695
        ),
        (
            "stored",
            "AUAAv/8AAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT"
                + "4/",
            64, 269405836
        ),
        (
            "huffman",
            "BcGBCQAhDATBVq61DR6vEDVg+udnXG/lPfrYG33sjVxv5T0ia6LhbBRuRNZE4UZkTfSxNxrORuFGw9nI9VbeI7Imcr"
                + "2V9yjciKyJwo2Gs9HH3ijcaDgbhRuRNVG4keutvEeut/IeDWejcKNwI7Im+gE=",
            200, 404220513
        ),
    ])
    func decompressesStreams(_ name: String, _ base64: String, _ count: Int, _ checksum: UInt32) throws {
        let stream = try #require(Data(base64Encoded: base64))
        let bytes = try Inflate.decompress(stream)
        #expect(bytes.count == count)
        #expect(Self.checksum(bytes) == checksum)
        #expect(throws: Inflate.Failure.self) { try Inflate.decompress(stream.dropLast()) }
        if count > 1 { #expect(throws: Inflate.Failure.self) { try Inflate.decompress(stream, limit: count - 1) } }
    }

    /// The CRC-32 of RFC 1952.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { value, byte in
            (0..<8).reduce(value ^ UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
        }
    }

    @Test func decompressesStoredBlocks() throws {
        let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(try Inflate.decompress(Data(StoredDeflate.bytes(content))) == content)
    }

    @Test func decodesEntitiesAndProperties() throws {
        let model = try CachedModel(compressed: Data(StoredDeflate.bytes(AppleTrips.model.archive)))
        #expect(model.entities.keys.sorted() == ["BusinessTrip", "Person", "Stop", "Trip"])
        let business = try #require(model.entities["BusinessTrip"])
        #expect(business.superentityName == "Trip")
        #expect(business.properties.map(\.name) == business.properties.map(\.name).sorted())
        #expect(business.property(named: "client")?.relationship?.destination == "Person")
        #expect(business.property(named: "draft")?.isTransient == true)
        #expect(business.property(named: "draft")?.isPersistent == false)
        let trip = try #require(model.entities["Trip"])
        #expect(trip.uniqueness == [["name"]])
        #expect(trip.property(named: "name")?.isPreserved == true)
        #expect(trip.property(named: "stops")?.relationship?.inverse == "trip")
        #expect(trip.property(named: "stops")?.relationship?.isToMany == true)
        guard case .composite(let place) = trip.property(named: "place")?.kind else {
            Issue.record("place is no composite attribute")
            return
        }
        #expect(place.map(\.name) == ["city", "latitude"])
    }

    @Test func convertsArchivesToJSON() throws {
        func json(_ bytes: [UInt8]) -> String? { bytes.withUnsafeBytes { ArchivedValue.json($0) } }
        #expect(json(AppleTrips.archive(["a", "\"b\"", "ü"])) == #"["a","\"b\"","ü"]"#)
        #expect(json(PropertyListWriter.bytes(.array([.integer(1), .bool(true), .real(1.5)]))) == "[1,true,1.5]")
        #expect(json(Array(#"{"a":1}"#.utf8)) == #"{"a":1}"#)
        #expect(json([0, 1, 2]) == nil)
        // An archive of another class stays data.
        var writer = KeyedArchiveWriter()
        let color = writer.add("NSColor", [])
        #expect(json(writer.bytes(root: color)) == nil)
        // An array that contains itself.
        var cycle = KeyedArchiveWriter()
        let array = cycle.reserve()
        cycle.add("NSArray", [("NS.objects", .array([array]))], at: array)
        #expect(json(cycle.bytes(root: array)) == nil)
    }

    /// A few objects that refer to each other often describe more than any model.
    @Test func limitsTheWorkOfAModel() throws {
        func failure(_ write: (inout KeyedArchiveWriter, PropertyListValue) -> PropertyListValue) throws {
            var writer = KeyedArchiveWriter()
            let entity = writer.reserve()
            let list = write(&writer, entity)
            let root = writer.add("NSManagedObjectModel", [("NSEntities", list)])
            let bytes = writer.bytes(root: root)
            #expect(bytes.count < 200_000)
            #expect(throws: KeyedArchive.Failure.self) { try CachedModel(KeyedArchive(bytes, budget: 1 << 22)) }
        }
        // A composite attribute that contains itself 100 times.
        try failure { writer, entity in
            let composite = writer.reserve()
            let elements = writer.array([PropertyListValue](repeating: composite, count: 100))
            let name = writer.add(.text("a"))
            writer.add(
                "NSCompositeAttributeDescription", [("NSPropertyName", name), ("NSElements", elements)], at: composite)
            let properties = writer.array([composite])
            writer.add("NSEntityDescription", [("NSEntityName", name), ("NSProperties", properties)], at: entity)
            return writer.array([entity])
        }
        // An entity that is listed 5,000 times, with 5,000 times the same property.
        try failure { writer, entity in
            let name = writer.add(.text("a"))
            let property = writer.add("NSAttributeDescription", [("NSPropertyName", name)])
            let properties = writer.array([PropertyListValue](repeating: property, count: 5_000))
            writer.add("NSEntityDescription", [("NSEntityName", name), ("NSProperties", properties)], at: entity)
            return writer.array([PropertyListValue](repeating: entity, count: 5_000))
        }
        // A list that refers to itself as its values.
        try failure { writer, entity in
            writer.add("NSKnownKeysDictionary1", [("values", entity)], at: entity)
            return entity
        }
    }

    @Test func limitsTheSizeOfValues() throws {
        var writer = KeyedArchiveWriter()
        let text = writer.add(.text(String(repeating: "a", count: 100_000)))
        let once = writer.array([text])
        let often = writer.array([PropertyListValue](repeating: text, count: 10_000))
        func json(_ root: PropertyListValue) -> String? {
            writer.bytes(root: root).withUnsafeBytes { ArchivedValue.json($0) }
        }
        #expect(json(once)?.utf8.count == 100_004)
        // A gigabyte.
        #expect(json(often) == nil)
        let list = PropertyListWriter.bytes(.array([.data([UInt8](repeating: 0, count: 30_000))]))
        #expect(list.withUnsafeBytes { ArchivedValue.json($0) }?.utf8.count == 40_004)
    }

    /// Superentities of a damaged file.
    @Test func limitsTheDepthOfEntities() {
        let chain = AppleEntities((1...15_999).map { (Int64($0), "E\($0)", Int64($0 - 1)) })
        #expect(chain.byName["E50"]?.rootName == "E1")
        #expect(chain.byName["E5000"]?.rootName == "E5000")
        for entity in chain.byNumber.values {
            #expect(chain.chain(of: entity).count <= 101)
            #expect(chain.kinds(of: entity).first?.number == entity.number)
        }
        let cycle = AppleEntities([(1, "A", 2), (2, "B", 1), (3, "C", 1), (4, "D", 4), (5, "E", 9)])
        #expect(cycle.byNumber.values.allSatisfy { $0.superentityNumber == nil && $0.rootName == $0.name })
    }

    /// Damaged content never traps, and never takes long.
    @Test func survivesDamagedContent() throws {
        var generator = TestSeed.generator(1)
        let archive = AppleTrips.model.archive
        let stream = StoredDeflate.bytes(archive)
        let small = try #require(Data(base64Encoded: Self.dynamicStream))
        var failures = 0
        for round in 0..<1_500 {
            var bytes = round % 3 == 0 ? Array(small) : round % 3 == 1 ? stream : archive
            for _ in 0..<1 + generator.below(6) {
                switch generator.below(4) {
                case 0: bytes[generator.below(bytes.count)] = UInt8(truncatingIfNeeded: generator.next())
                case 1: bytes[generator.below(bytes.count)] ^= 1 << UInt8(generator.below(8))
                case 2: bytes.removeLast(min(bytes.count - 1, generator.below(20)))
                default: bytes.insert(UInt8(truncatingIfNeeded: generator.next()), at: generator.below(bytes.count))
                }
            }
            do {
                _ = round % 3 == 2 ? try CachedModel(KeyedArchive(bytes)) : try CachedModel(compressed: Data(bytes))
            } catch {
                #expect(error is Inflate.Failure || error is KeyedArchive.Failure, "\(TestSeed.description)")
                failures += 1
            }
        }
        #expect(failures > 0)
    }

    private static let dynamicStream =
        "dVLRCoAwCPyV/ZrRqGCroP6fAjc4PX1xm5yn3q3ez9Gus2zSu4xYR07avUtZa3ulLPUPmoCr4gGhV0swX55CsUoBCQ"
        + "+b5fMEFEChwAXczBA6HI6TbAd8iLCqxctnVdiDpCBBsulsL2SLDMEaViRxyC5iX9EQuF7SNtYNVMg/JUvoZyfz8J/E"
        + "fypQhE1KGMlBFpaaUE1CZT00xDDTBw=="
}
