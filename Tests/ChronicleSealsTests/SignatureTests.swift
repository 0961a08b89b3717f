#if Seals
    import ChronicleCore
    import ChronicleSeals
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Keys, and signatures of bytes and of seals.
    @Suite struct SignatureTests {
        struct Vector: Sendable, CustomTestStringConvertible {
            let seed: String
            let publicKey: String
            let message: String
            let signature: String

            var testDescription: String { "message \(message)" }
        }

        /// RFC 8032, 7.1, tests 1 to 3.
        static let vectors = [
            Vector(
                seed: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", message: "",
                signature:
                    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
                    + "d25bf5f0595bbe24655141438e7a100b"),
            Vector(
                seed: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                publicKey: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", message: "72",
                signature:
                    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
                    + "387b2eaeb4302aeeb00d291612bb0c00"),
            Vector(
                seed: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
                publicKey: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", message: "af82",
                signature:
                    "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
                    + "4a7c15e9716ed28dc027beceea1ec40a"),
        ]

        private func bytes(_ hexadecimal: String) throws -> [UInt8] {
            let digits = Array(hexadecimal)
            return try stride(from: 0, to: digits.count, by: 2).map {
                try #require(UInt8(String(digits[$0..<$0 + 2]), radix: 16))
            }
        }

        @Test(arguments: vectors) func publishedVectors(_ vector: Vector) throws {
            let key = try #require(SealSigningKey(rawRepresentation: Data(try bytes(vector.seed))))
            let publicKey = try #require(SealPublicKey(rawRepresentation: Data(try bytes(vector.publicKey))))
            let (message, expected) = (try bytes(vector.message), try bytes(vector.signature))
            #expect(try key.publicKey == publicKey)
            #expect(try publicKey.isValid(expected, of: message))
            let signature = try key.signature(of: message)
            #expect(try signature.publicKey == bytes(vector.publicKey))
            #expect(try publicKey.isValid(signature.signature, of: message))
            // CryptoKit adds random bytes.
            #if !canImport(CryptoKit)
                #expect(signature.signature == expected)
            #endif
        }

        @Test func everyChangedBitIsRejected() throws {
            let vector = Self.vectors[2]
            let publicKey = try #require(SealPublicKey(rawRepresentation: Data(try bytes(vector.publicKey))))
            let (message, signature) = (try bytes(vector.message), try bytes(vector.signature))
            for bit in 0..<signature.count * 8 {
                var changed = signature
                changed[bit / 8] ^= 1 << (bit % 8)
                #expect(try !publicKey.isValid(changed, of: message), "bit \(bit) of the signature")
            }
            for bit in 0..<message.count * 8 {
                var changed = message
                changed[bit / 8] ^= 1 << (bit % 8)
                #expect(try !publicKey.isValid(signature, of: changed), "bit \(bit) of the message")
            }
            for count in [0, 1, 32, 63, 65, 128] {
                let changed = (0..<count).map { $0 < 64 ? signature[$0] : 0 }
                #expect(try !publicKey.isValid(changed, of: message))
            }
            #expect(try !SealSigningKey().publicKey.isValid(signature, of: message))
            // Bytes that are no point of the curve, or one of small order.
            for byte in [UInt8(0), 2, 0xff] {
                let other = try #require(SealPublicKey(rawRepresentation: Data(repeating: byte, count: 32)))
                #expect(try !other.isValid(signature, of: message))
            }
        }

        // MARK: Texts

        @Test func aPublicKeyHasOneText() throws {
            let text = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
            let key = try #require(SealPublicKey(text))
            #expect(try Array(key.rawRepresentation) == bytes(Self.vectors[0].publicKey))
            #expect(key.description == text)
            #expect(try JSONDecoder().decode(SealPublicKey.self, from: JSONEncoder().encode(key)) == key)
            #expect(try JSONEncoder().encode([key]) == Data("[\"\(text)\"]".utf8))
            let others = [
                "", text + "=", text + " ", " " + text, String(text.dropLast()), text + "A", text + "\0",
                text.replacing("_", with: "/"), text.dropLast() + "p", "0:" + text, text.dropLast() + "o\u{301}",
            ]
            for other in others {
                #expect(SealPublicKey(other) == nil, "\(other)")
                #expect(throws: DecodingError.self) {
                    try JSONDecoder().decode(SealPublicKey.self, from: JSONEncoder().encode(other))
                }
            }
        }

        @Test func keysHave32Bytes() throws {
            for count in [0, 31, 33, 64] {
                #expect(SealSigningKey(rawRepresentation: Data(count: count)) == nil)
                #expect(SealPublicKey(rawRepresentation: Data(count: count)) == nil)
            }
            let key = SealSigningKey()
            #expect(key != SealSigningKey())
            #expect(SealSigningKey(rawRepresentation: key.rawRepresentation) == key)
            // A slice, whose indices begin elsewhere.
            let slice = (Data([1]) + key.rawRepresentation).dropFirst()
            #expect(SealSigningKey(rawRepresentation: slice) == key)
        }

        @Test func descriptionsHaveNoSecrets() throws {
            let key = SealSigningKey()
            var text = ""
            dump(HistorySealingSchedule.every(.seconds(1), signedBy: key), to: &text)
            print(key, [key], String(reflecting: key), to: &text)
            #expect(!text.contains("seed") && !text.contains("words"))
        }

        // MARK: Seals

        /// The bytes of the article "The seal format".
        @Test func whatIsSigned() throws {
            let seal = try RecordedSeal.example
            var expected = Array("chr1:head".utf8) + [UInt8](repeating: 0, count: 7)
            expected += [0, 0, 0, 0, 0, 0, 0, 2] + Array("AB".utf8)
            expected += [0, 0, 0, 0, 0, 0, 0, 3] + [0, 0, 0, 0, 0, 0, 1, 0] + [UInt8](repeating: 7, count: 32)
            #expect(seal.signedBytes(store: Array("AB".utf8)) == expected)
        }

        @Test func changedFieldsAreRejected() throws {
            let (key, store) = (SealSigningKey(), Array("AB".utf8))
            let publicKey = try key.publicKey
            var seal = try RecordedSeal.example
            #expect(try !publicKey.hasSigned(seal, store: store))
            let signature = try key.signature(of: seal.signedBytes(store: store))
            seal.signature = signature
            #expect(try publicKey.hasSigned(seal, store: store))
            #expect(try !publicKey.hasSigned(seal, store: Array("AC".utf8)))
            #expect(try !publicKey.hasSigned(seal, store: []))
            let changes: [(inout RecordedSeal) throws -> Void] = [
                { $0.number += 1 }, { $0.last += 1 }, { $0.hash = .zero }, { $0.signature = nil },
                { $0.signature?.signature[0] ^= 1 }, { $0.signature?.signature = [] },
                { $0.signature?.publicKey = [] },
                // The key beside a seal is never trusted.
                { $0.signature = try SealSigningKey().signature(of: $0.signedBytes(store: store)) },
            ]
            for (index, change) in changes.enumerated() {
                var changed = seal
                try change(&changed)
                #expect(try !publicKey.hasSigned(changed, store: store), "change \(index)")
            }
            #expect(try !SealSigningKey().publicKey.hasSigned(seal, store: store))
        }
    }

    extension RecordedSeal {
        fileprivate static var example: RecordedSeal {
            get throws {
                let hash = try #require(HistoryDigest([UInt8](repeating: 7, count: 32)))
                return RecordedSeal(
                    number: 3, last: 256, lastCheck: -1, time: 1, previous: .zero, catalogHash: .zero, hash: hash)
            }
        }
    }
#endif
