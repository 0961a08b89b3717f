#if Seals
    import Chronicle
    import ChronicleCore
    import ChronicleSeals
    import ChronicleSQLite
    import ChronicleStore
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// What a verification reports about a history that a person with the file changed, with and without a head that was
    /// kept elsewhere.
    @Suite struct SealAttackTests {
        typealias Stage = SealedVictim.Stage

        private func outcomes(_ result: SealVerification) -> [String] { result.heads.map(\.outcome.name) }

        @Test(arguments: SealedVictim.Kind.allCases) func aSoundHistoryIsProven(_ kind: SealedVictim.Kind) throws {
            let victim = try SealedVictim(kind)
            let result = try victim.verify()
            #expect(result.difference == nil)
            #expect(outcomes(result) == ["purged"] + victim.heads.dropFirst().map { _ in "proven" })
            #expect(result.proven == victim.facts.heads[.last] && result.newest == victim.facts.heads[.last])
            #expect(result.boundary == victim.facts.heads[.first])
            #expect(result.sealCount == victim.heads.count - 1)
            #expect(result.unsealedTransactions == 1 && result.unsealedEvents == 0)
            #expect(!result.isProven, "the first head was purged")
            let heads = victim.heads.dropFirst().map(\.head)
            let proven = try victim.verify(heads)
            #expect(proven.isProven)
            let exceptions = try #require(proven.heads.last?.outcome.exceptions)
            #expect(exceptions.deletedTransactions == 1 && exceptions.unprovenRanges.isEmpty)
            #expect(exceptions.erasedValues > 0 || kind == .tracked)
            #expect(exceptions.unconfirmedEvents.isEmpty)
            #expect(try victim.verify([]).isProven)
        }

        /// The events that a head before them does not contain can be forged.
        @Test(arguments: SealedVictim.Kind.allCases) func laterEventsAreNotConfirmed(_ kind: SealedVictim.Kind) throws {
            let victim = try SealedVictim(kind)
            let head = try #require(victim.facts.heads[.updates])
            let result = try victim.verify([head])
            let exceptions = try #require(result.heads.first?.outcome.exceptions)
            let kinds = exceptions.unconfirmedEvents.map { number in
                result.events.first { $0.number == number }?.kind
            }
            // The transaction that was deleted is before the head, and so is the boundary.
            #expect(Set(kinds) == ["deletion", "purge"])
            #expect(!result.isProven)
        }

        // MARK: Attacks

        @Test(arguments: SealAttack.all, SealedVictim.Kind.allCases)
        func anAttackIsFound(_ attack: SealAttack, _ kind: SealedVictim.Kind) throws {
            guard attack.applies(to: kind) else { return }
            let victim = try SealedVictim(kind)
            try attack.attack(victim)
            let result = try victim.verify()
            let difference = try #require(result.difference)
            #expect(attack.kinds.contains(difference.kind), "\(difference)")
            #expect(!difference.detail.isEmpty && !result.isProven)
            if let rows = attack.transaction.flatMap({ victim.facts.transactions[$0] }), difference.kind != .damaged {
                let position = try #require(difference.position)
                #expect(rows.contains(position), "\(difference), \(rows)")
            }
            guard let stage = attack.stage else { return }
            #expect(try difference.seal == victim.number(of: stage))
            // Without its event, what a transaction's deletion explained is not proven either.
            let explains = SealAttack.explanations.contains(attack.name)
            let proven = victim.heads.last { $0.stage < stage && $0.stage >= .first }
            #expect(explains || result.proven == proven?.head)
            for (head, outcome) in zip(victim.heads, result.heads.map(\.outcome)) {
                if head.stage == .begun {
                    #expect(outcome == .purged || explains && outcome == .different)
                } else if head.stage < stage {
                    #expect(outcome.name == "proven" || explains && outcome == .different, "\(head.stage)")
                } else {
                    // The seal of the difference may have another hash than its head, and the boundary is the end of a purge.
                    let isOther = head.stage == stage && !attack.kinds.isDisjoint(with: [.seal, .missing])
                    let others: [SealVerification.Outcome] = stage == .first ? [.purged] : [.forked]
                    #expect(outcome == .different || isOther && others.contains(outcome), "\(head.stage)")
                }
            }
        }

        /// A person with the code of the sealer builds the chain again. Only heads that were kept elsewhere show it.
        @Test(arguments: SealAttack.all, [SealedVictim.Kind.file])
        func onlyAnAnchorFindsAForger(_ attack: SealAttack, _ kind: SealedVictim.Kind) throws {
            guard attack.applies(to: kind) else { return }
            let victim = try SealedVictim(kind)
            try attack.attack(victim)
            try victim.removeSeals()
            let forged: HistorySeal
            do { forged = try victim.seal() } catch SwiftDataError.damagedFile {
                // The sealer refuses to seal what is no history.
                return
            }
            let result = try victim.verify(victim.heads.map(\.head) + [forged])
            #expect(outcomes(result).dropLast().allSatisfy { $0 == "forked" }, "\(outcomes(result))")
            #expect(!result.isProven)
            if (SealAttack.values + SealAttack.descriptions + SealAttack.erasures).contains(where: {
                $0.name == attack.name
            }) {
                #expect(result.difference == nil && result.heads.last?.outcome.name == "proven")
                #expect(try victim.verify([forged]).isProven)
            }
        }

        @Test(arguments: SealedVictim.Kind.allCases) func aChainThatIsBuiltAgainFromAPosition(_ kind: SealedVictim.Kind)
            throws
        {
            let victim = try SealedVictim(kind)
            let number = try victim.number(of: .deletion)
            let last = try victim.number("SELECT max(last) FROM chronicle_seal WHERE number < \(number)")
            try victim.change(victim.value("note", "insert d"), "new_value = 'forged'")
            try victim.execute(
                """
                DELETE FROM chronicle_seal WHERE number >= \(number);
                UPDATE chronicle_event SET seal = NULL WHERE seal >= \(number);
                DELETE FROM chronicle_commitment WHERE position > \(last)
                """)
            let forged = try victim.seal()
            let result = try victim.verify(victim.heads.map(\.head) + [forged])
            #expect(result.difference == nil)
            for (head, outcome) in zip(victim.heads, result.heads.map(\.outcome)) {
                let expected = head.stage == .begun ? "purged" : head.stage < .deletion ? "proven" : "forked"
                #expect(outcome.name == expected, "\(head.stage)")
            }
            #expect(result.heads.last?.outcome.name == "proven" && !result.isProven)
        }

        // MARK: Removed ends

        @Test(arguments: SealedVictim.Kind.allCases) func aRemovedEnd(_ kind: SealedVictim.Kind) throws {
            let victim = try SealedVictim(kind)
            let last = try #require(victim.facts.heads[.purge]).position
            try victim.execute(
                """
                DELETE FROM chronicle_seal WHERE number = \(try victim.number(of: .last));
                DELETE FROM chronicle_change WHERE id > \(last); DELETE FROM chronicle_metadata WHERE position > \(last);
                DELETE FROM chronicle_commitment WHERE position > \(last)
                """)
            let result = try victim.verify()
            #expect(result.difference == nil && result.newest == victim.facts.heads[.purge])
            for (head, outcome) in zip(victim.heads, result.heads.map(\.outcome)) {
                let expected = head.stage == .begun ? "purged" : head.stage == .last ? "absent" : "proven"
                #expect(outcome.name == expected, "\(head.stage)")
            }
            #expect(!result.isProven)
            #expect(try victim.verify([try #require(victim.facts.heads[.purge])]).isProven, "the older file is right")
        }

        /// The chain still reaches the position of the head.
        @Test(arguments: SealedVictim.Kind.allCases) func aRemovedSealOfEvents(_ kind: SealedVictim.Kind) throws {
            let victim = try SealedVictim(kind)
            let newest = try victim.seal()
            let token = try #require(
                try victim.store.fetchHistory(Descriptor()).first {
                    $0.id == victim.facts.transactions["update d"]?.upperBound
                }?.token)
            try victim.store.deleteHistory(.before(token))
            let head = try victim.seal()
            #expect(head.position == newest.position && head != newest)
            #expect(try victim.verify([newest, head]).isProven)
            try victim.execute(
                """
                UPDATE chronicle_event SET seal = NULL WHERE seal = (SELECT max(number) FROM chronicle_seal);
                DELETE FROM chronicle_seal WHERE number = (SELECT max(number) FROM chronicle_seal)
                """)
            let result = try victim.verify([newest, head])
            #expect(result.difference == nil && outcomes(result) == ["proven", "forked"])
            #expect(!result.isProven)
        }

        @Test(arguments: [SealedVictim.Kind.file, .tracked]) func anOlderFileIsRestored(_ kind: SealedVictim.Kind)
            throws
        {
            let victim = try SealedVictim(restoring: kind)
            let result = try victim.verify()
            #expect(result.difference == nil && result.newest == victim.facts.heads[.foreign])
            for (head, outcome) in zip(victim.heads, result.heads.map(\.outcome)) {
                // The erasure is a seal of an event only, so the older file reaches its position.
                let expected = head.stage <= .foreign ? "proven" : head.stage == .erasure ? "forked" : "absent"
                #expect(outcome.name == expected, "\(head.stage)")
            }
            #expect(!result.isProven)
            let heads = victim.heads.filter { $0.stage <= .foreign }.map(\.head)
            #expect(try victim.verify(heads).isProven, "the older file is right")
        }

        @Test(arguments: SealedVictim.Kind.allCases) func allSealsAreRemoved(_ kind: SealedVictim.Kind) throws {
            let victim = try SealedVictim(kind)
            try victim.removeSeals()
            let result = try victim.verify()
            #expect(result.newest == nil && result.sealCount == 0 && !result.isProven)
            #expect(outcomes(result).allSatisfy { $0 == "absent" })
            #expect(try !victim.verify([]).isProven)
        }

        // MARK: What is visible only

        /// A forger can do what the store does. The events say it, and no head confirms them.
        @Test(arguments: SealedVictim.Kind.allCases) func forgedEventsAreVisible(_ kind: SealedVictim.Kind) throws {
            let victim = try SealedVictim(kind)
            let rows = try victim.rows("update a")
            let position = "position BETWEEN \(rows.lowerBound) AND \(rows.upperBound)"
            try victim.delete("update a", commitments: true)
            try victim.execute(
                """
                DELETE FROM chronicle_metadata WHERE \(position);
                INSERT INTO chronicle_event(id, kind, time, author, program, process, detail) \
                SELECT max(id) + 1, 'deletion', 1, 'officer', 'app', '1', '{"transactions":1}' FROM chronicle_event;
                INSERT INTO chronicle_event_part(event, seal, content) \
                SELECT max(id), \(try victim.number(of: .updates)), x'01' FROM chronicle_event
                """)
            let event = try victim.number("SELECT max(id) FROM chronicle_event")
            let result = try victim.verify(victim.heads.dropFirst().map(\.head))
            #expect(result.difference == nil && result.unsealedEvents == 1 && !result.isProven)
            #expect(result.events.last?.author == "officer")
            for (head, found) in zip(victim.heads.dropFirst(), result.heads) {
                let exceptions = try #require(found.outcome.exceptions)
                #expect(exceptions.unconfirmedEvents == (head.stage < .updates ? [] : [event]), "\(head.stage)")
            }
            #expect(result.heads.last?.outcome.exceptions?.deletedTransactions == 2)
        }

        @Test(arguments: SealedVictim.Kind.allCases) func aForgedPurgeIsVisible(_ kind: SealedVictim.Kind) throws {
            let victim = try SealedVictim(kind)
            let end = try #require(victim.facts.heads[.updates]).position
            let token = try #require(try victim.store.fetchHistory(Descriptor()).first { $0.id == end }?.token)
            while try !victim.store.purgeHistory(HistoryPurgePlan(newest: token)).isLast {}
            let result = try victim.verify()
            #expect(result.difference == nil && result.boundary == victim.facts.heads[.updates] && !result.isProven)
            let event = try #require(result.events.last)
            #expect(event.kind == "purge" && event.seal == nil)
            for (head, outcome) in zip(victim.heads, result.heads.map(\.outcome)) {
                #expect(outcome.name == (head.stage < .updates ? "purged" : "proven"), "\(head.stage)")
                if let exceptions = outcome.exceptions { #expect(exceptions.unconfirmedEvents == [event.number]) }
            }
        }

        @Test(arguments: SealedVictim.Kind.allCases) func changedNamesWithAnEventAreVisible(_ kind: SealedVictim.Kind)
            throws
        {
            let victim = try SealedVictim(kind)
            try victim.execute(
                """
                UPDATE chronicle_attribute SET name = CASE name WHEN 'name' THEN 'note' ELSE 'name' END \
                WHERE name IN ('name', 'note') AND entity = (SELECT id FROM chronicle_entity WHERE name = 'Trip');
                INSERT INTO chronicle_event(id, kind, time, detail) \
                SELECT max(id) + 1, 'names', 1, '{}' FROM chronicle_event
                """)
            let result = try victim.verify([])
            #expect(result.difference == nil && result.unsealedEvents == 1)
            #expect(result.events.last?.kind == "names")
        }

        /// Changes of what is not sealed yet cannot be found.
        @Test(arguments: SealedVictim.Kind.allCases) func whatIsNotSealedIsCounted(_ kind: SealedVictim.Kind) throws {
            let victim = try SealedVictim(kind)
            try victim.change(victim.value("note", "unsealed"), "new_value = 'forged'")
            let heads = victim.heads.dropFirst().map(\.head)
            let result = try victim.verify(heads)
            #expect(result.isProven && result.unsealedTransactions == 1)
            let later = try victim.seal()
            #expect(try victim.verify(heads + [later]).isProven)
        }

        /// The rows of the history are right. The existing comparison of both finds it.
        @Test(arguments: [SealedVictim.Kind.file, .tracked])
        func aPresentRowIsChangedWithoutTriggers(_ kind: SealedVictim.Kind) throws {
            let victim = try SealedVictim(kind)
            func problems() throws -> [StoreProblem] {
                var problems: [StoreProblem] = []
                try DefaultStore.verify(fileAt: victim.store.configuration.url) { problems.append($0) }
                return problems
            }
            #expect(try problems().isEmpty)
            try victim.execute("UPDATE Trip SET note = 'forged' WHERE name = 'D'")
            #expect(try problems().contains { $0.table == "Trip" })
            #expect(try victim.verify(victim.heads.dropFirst().map(\.head)).isProven)
        }
    }
#endif
