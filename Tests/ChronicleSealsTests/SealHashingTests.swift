#if Seals
    import ChronicleCore
    import ChronicleSeals
    import ChronicleTestSupport
    import Foundation
    import Testing

    @Suite struct SealHashingTests {
        private let hashing = SealHashing()

        private func hex(_ function: any HistoryHashFunction, _ parts: [[UInt8]]) throws -> String {
            for part in parts { part.withUnsafeBytes { function.update($0) } }
            return try function.finish().data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }

        /// A shorter key is the same as one with zeros after it.
        private func key(_ bytes: [UInt8]) throws -> HistoryDigest {
            try #require(HistoryDigest(bytes + [UInt8](repeating: 0, count: 32 - bytes.count)))
        }

        /// The examples of FIPS 180-2.
        @Test func hashes() throws {
            #expect(
                try hex(hashing.hash(), [])
                    == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
            #expect(
                try hex(hashing.hash(), [Array("abc".utf8)])
                    == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
            #expect(
                try hex(
                    hashing.hash(), [[], [UInt8](repeating: UInt8(ascii: "a"), count: 999_999), [], Array("a".utf8)])
                    == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
        }

        /// The examples of RFC 4231 whose keys are not longer than 32 bytes.
        @Test func authenticationCodes() throws {
            let eleven = try key([UInt8](repeating: 0x0b, count: 20))
            #expect(
                try hex(hashing.authenticationCode(key: eleven), [Array("Hi There".utf8)])
                    == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
            let jefe = try key(Array("Jefe".utf8))
            #expect(
                try hex(
                    hashing.authenticationCode(key: jefe), ["what do ya want ", "for nothing?"].map { Array($0.utf8) })
                    == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
            let counting = try key((1...25).map { UInt8($0) })
            #expect(
                try hex(hashing.authenticationCode(key: counting), [[UInt8](repeating: 0xcd, count: 50)])
                    == "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b")
        }

        @Test(arguments: UInt64(1)...100)
        func agreesWithTheReference(_ seed: UInt64) throws {
            var random = SplitMix(state: seed)
            let (reference, key) = (ReferenceHashing(), HistoryDigest.randomKey())
            let parts = (0..<random.below(5)).map { _ in
                (0..<random.below(300)).map { _ in UInt8(random.below(256)) }
            }
            #expect(try hex(hashing.hash(), parts) == hex(reference.hash(), parts))
            #expect(
                try hex(hashing.authenticationCode(key: key), parts)
                    == hex(reference.authenticationCode(key: key), parts))
        }

        /// The first line of the vector in the article "The seal format".
        @Test func vectorOfTheArticle() throws {
            let ones = try key([UInt8](repeating: 1, count: 32))
            let value = try Array("Oslo".utf8).withUnsafeBytes {
                try hashing.commitment(toAttribute: 0, before: .null, after: .text($0), key: ones)
            }
            let expected: [UInt8] = [0xea, 0x46, 0x64, 0xc2, 0x4d, 0x9e, 0x1d, 0x81]
            #expect(Array(value.data.prefix(8)) == expected)
        }

        @Test func concurrentUse() async throws {
            let (hashing, bytes) = (hashing, [UInt8](repeating: 1, count: 100))
            let key = HistoryDigest.randomKey()
            let expected = try hex(ReferenceHashing().authenticationCode(key: key), [bytes])
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try (0..<200).allSatisfy { _ in
                            try hex(hashing.authenticationCode(key: key), [bytes]) == expected
                        }
                    }
                }
                for try await isEqual in group { #expect(isEqual) }
            }
        }

        /// A result is returned once: a second one would be that of other bytes.
        @Test func finishedFunctions() throws {
            #if !canImport(CryptoKit)
                for function in [hashing.hash(), hashing.authenticationCode(key: .zero)] {
                    _ = try function.finish()
                    let error = #expect(throws: SwiftDataError.storeFailure) { try function.finish() }
                    #expect(error?.detail?.contains("OpenSSL 3") == true)
                }
            #endif
        }
    }
#endif
