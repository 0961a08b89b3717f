#if Postgres
    import Chronicle
    import ChronicleCore
    import ChronicleTestSupport
    import Testing

    @testable import ChroniclePostgres

    /// What a verification reports about a history that a person with the database changed.
    @Suite("PostgreSQL: forged rows of sealed histories", .requiresPostgres) struct PostgresSealAttackTests {
        @Test(arguments: SealedDatabase.Kind.allCases) func aSoundHistoryIsProven(_ kind: SealedDatabase.Kind) throws {
            let victim = try SealedDatabase(kind)
            let result = try victim.verify()
            #expect(result.isProven && result.sealCount == 3 && result.unsealedTransactions == 0)
            #expect(result.proven == victim.heads[2] && result.exceptions.unprovenRanges == [5...5])
        }

        /// One history, which is restored after each attack.
        @Test(arguments: SealedDatabase.Kind.allCases) func attacksAreFound(_ kind: SealedDatabase.Kind) throws {
            let victim = try SealedDatabase(kind)
            for attack in DatabaseAttack.all where attack.stores.contains(kind) {
                try victim.forge(attack.sql)
                try expect(attack, victim)
                try victim.restoreHistory()
            }
            #expect(try victim.verify().isProven)
        }

        private func expect(_ attack: DatabaseAttack, _ victim: SealedDatabase) throws {
            let result = try victim.verify()
            guard let difference = result.difference else {
                Issue.record("not found: \(attack)")
                return
            }
            #expect(difference.kind == attack.kind, "\(attack): \(difference)")
            #expect(difference.position == attack.position, "\(attack): \(difference)")
            #expect(difference.seal == attack.seal, "\(attack): \(difference)")
            #expect(!difference.detail.isEmpty && !result.isProven, "\(attack)")
            // Present names and bounds are not part of a seal.
            let provenCount = attack.seal.map { Int($0) - 1 } ?? victim.heads.count
            #expect(result.proven == victim.heads.prefix(provenCount).last, "\(attack)")
            let outcomes = victim.heads.indices.map { $0 < provenCount ? "proven" : "different" }
            #expect(SealedDatabase.outcomes(result) == outcomes, "\(attack)")
        }

        // MARK: Other branches

        /// A person with the code of the sealer seals what was changed. Only heads that were kept elsewhere show it.
        @Test(arguments: SealedDatabase.Kind.allCases, [1, 2, 3])
        func aChainThatIsBuiltAgain(_ kind: SealedDatabase.Kind, from number: Int) throws {
            let victim = try SealedDatabase(kind)
            let last = number == 1 ? 0 : victim.heads[number - 2].position
            try victim.forge(
                """
                UPDATE chronicle_change SET new_values[1] = 'tx' WHERE \(DatabaseAttack.of(victim.heads[number - 1].position));
                DELETE FROM chronicle_seal WHERE number >= \(number);
                UPDATE chronicle_event SET seal = NULL WHERE seal >= \(number);
                DELETE FROM chronicle_commitment WHERE transaction > \(last)
                """)
            let forged = try victim.seal()
            #expect(try victim.verify([forged]).isProven)
            let result = try victim.verify(victim.heads + [forged])
            #expect(result.difference == nil && result.newest == forged && !result.isProven)
            let outcomes = victim.heads.indices.map { $0 < number - 1 ? "proven" : "forked" }
            #expect(SealedDatabase.outcomes(result) == outcomes + ["proven"])
        }

        @Test(arguments: SealedDatabase.Kind.allCases) func theEndIsRemoved(_ kind: SealedDatabase.Kind) throws {
            let victim = try SealedDatabase(kind)
            try victim.forge(
                """
                DELETE FROM chronicle_seal WHERE number = 3; DELETE FROM chronicle_event WHERE seal = 3;
                DELETE FROM chronicle_change WHERE transaction IN (\
                SELECT transaction FROM chronicle_transaction WHERE position > 4);
                DELETE FROM chronicle_transaction WHERE position > 4; DELETE FROM chronicle_commitment WHERE transaction > 4
                """)
            try expectOlder(victim)
        }

        @Test(arguments: SealedDatabase.Kind.allCases)
        func anOlderHistoryIsRestored(_ kind: SealedDatabase.Kind) throws {
            let victim = try SealedDatabase(kind)
            try victim.restoreOlderHistory()
            try expectOlder(victim)
            // It continues as another branch.
            for name in ["x", "y", "z"] { try victim.insert(name) }
            let head = try victim.seal()
            try #require(head.position >= victim.heads[2].position)
            let result = try victim.verify(victim.heads + [head])
            #expect(result.difference == nil && !result.isProven)
            #expect(SealedDatabase.outcomes(result) == ["proven", "proven", "forked", "proven"])
        }

        /// Expects a history that ends with the second seal.
        private func expectOlder(_ victim: SealedDatabase, location: SourceLocation = #_sourceLocation) throws {
            let result = try victim.verify()
            #expect(result.difference == nil && !result.isProven, sourceLocation: location)
            #expect(result.newest == victim.heads[1], sourceLocation: location)
            #expect(SealedDatabase.outcomes(result) == ["proven", "proven", "absent"], sourceLocation: location)
            #expect(try victim.verify(Array(victim.heads.prefix(2))).isProven, sourceLocation: location)
        }

        @Test(arguments: SealedDatabase.Kind.allCases) func allSealsAreRemoved(_ kind: SealedDatabase.Kind) throws {
            let victim = try SealedDatabase(kind)
            try victim.forge(
                """
                DROP TABLE chronicle_seal, chronicle_commitment, chronicle_commitment_key, chronicle_event, \
                chronicle_event_part; UPDATE chronicle_meta SET value = '2' WHERE name = 'format'
                """)
            let result = try victim.verify()
            #expect(result.newest == nil && result.sealCount == 0 && !result.isProven)
            #expect(SealedDatabase.outcomes(result) == ["absent", "absent", "absent"])
            #expect(try !victim.verify([]).isProven)
        }

        /// What no seal contains can be forged.
        @Test(arguments: SealedDatabase.Kind.allCases) func whatIsNotSealedIsCounted(_ kind: SealedDatabase.Kind) throws
        {
            let victim = try SealedDatabase(kind)
            try victim.insert("x")
            #expect(try victim.verify().unsealedTransactions == 1)
            try victim.forge("UPDATE chronicle_transaction SET author = 'mallory' WHERE position > 7")
            let result = try victim.verify()
            #expect(result.isProven && result.unsealedTransactions == 1)
        }

        /// Positions of gaps have no changes, so those of later transactions can be higher than the numbers of their changes.
        @Test func transactionsThatAreRemovedAfterAGapLeaveAHole() throws {
            let fixture = try HistoryFixture.preserving()
            try fixture.add("a")
            try fixture.seal()
            var configuration = fixture.configuration
            configuration.recordsHistory = false
            _ = try HistoryFixture.open(configuration)
            let again = try HistoryFixture(fixture.configuration, fixture.cluster)
            try again.add("b", "c", "d")
            try again.psql(
                """
                DELETE FROM chronicle_change USING chronicle_transaction AS h WHERE h.position = 4 \
                AND chronicle_change.transaction = h.transaction; DELETE FROM chronicle_transaction WHERE position = 4
                """)
            let head = try again.seal()
            #expect(try again.verify(head).difference?.kind == .removed)
        }
    }
#endif
