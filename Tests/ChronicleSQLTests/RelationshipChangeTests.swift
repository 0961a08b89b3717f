import Chronicle
import ChronicleSQL
import Testing

/// Relationships that a new schema stores in another way.
@Suite("Relationships: storage") struct RelationshipChangeTests {
    private let before = Schema([Before.Tour.self, Before.Person.self])
    private let after = Schema([After.Tour.self, After.Person.self])

    /// Returns the changes from `before` to `after`, if only some columns and tables exist.
    private func changes(_ existing: RelationshipStorage...) -> [RelationshipChange] {
        RelationshipChange.changes(from: before.entitiesByName, to: after, originalName: \.self) {
            existing.contains($0)
        }
    }

    private let leader = RelationshipStorage.column(table: "Tour", name: "leader")
    private let people = RelationshipStorage.links(table: "Tour.people", from: "owner", to: "destination")
    private let leaders = RelationshipStorage.links(table: "Tour.leaders", from: "owner", to: "destination")
    private let tours = RelationshipStorage.links(table: "Tour.people", from: "destination", to: "owner")
    private let tour = RelationshipStorage.inverseColumn(table: "Person", name: "tours")
    private let inverse = RelationshipStorage.column(table: "Person", name: "tours")

    @Test func changesHaveTheOldAndTheNewStorage() throws {
        let changes = changes(leader, people, tours)
        #expect(
            changes.map { "\($0.entity.name).\($0.property.name)" } == ["Person.tours", "Tour.leaders", "Tour.people"])
        #expect(changes.map(\.old) == [tours, leader, people])
        #expect(changes.map(\.new) == [inverse, leaders, tour])
    }

    /// A store that was migrated by another program at the same time has nothing to transfer.
    @Test func existingStorageIsNoChange() {
        #expect(changes(leader, leaders, people, tour, inverse).isEmpty)
    }

    @Test func missingStorageIsNoChange() { #expect(changes().isEmpty) }

    @Test func pairsHaveTheModelAndItsDestination() {
        #expect(
            leader.pairs.sql
                == #"SELECT _rowid_ AS source, "leader" AS destination FROM "Tour" WHERE "leader" IS NOT NULL"#)
        #expect(
            tour.pairs.sql
                == #"SELECT "tours" AS source, _rowid_ AS destination FROM "Person" WHERE "tours" IS NOT NULL"#)
        #expect(people.pairs.sql == #"SELECT owner AS source, destination AS destination FROM "Tour.people""#)
        #expect([leader, tour, people].map(\.uniqueColumn) == ["source", "destination", nil])
    }
}

private enum Before {
    @Model fileprivate final class Tour {
        var leader: Person?
        @Relationship(inverse: \Person.tours) var people: [Person] = []
        init() {}
    }

    @Model fileprivate final class Person {
        var tours: [Tour] = []
        init() {}
    }
}

private enum After {
    @Model fileprivate final class Tour {
        @Relationship(originalName: "leader") var leaders: [Person] = []
        @Relationship(inverse: \Person.tours) var people: [Person] = []
        init() {}
    }

    @Model fileprivate final class Person {
        var tours: Tour?
        init() {}
    }
}
