import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Properties whose declaration changes, or which are removed and declared again, with the values of another version in the
/// file.
@Suite struct DeclarationChangeTests {
    private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>
    private let file: URL

    init() throws { file = try TemporaryDirectory().file("changing.store") }

    private func context(
        _ types: any PersistentModel.Type..., plan: (any SchemaMigrationPlan.Type)? = nil,
        version: Schema.Version? = nil
    ) throws -> ModelContext {
        let configuration = ModelConfiguration(url: file, durability: .relaxed, preservesValues: true)
        return ModelContext(
            try ModelContainer(
                for: Schema(types, version: version), migrationPlan: plan, configurations: configuration))
    }

    private func sql(_ statement: String) throws -> String { try Shell.sqlite3(file, statement) }

    /// Expects that opening the file throws an error and does not change the file.
    private func expectRejection(
        _ property: String?, _ types: any PersistentModel.Type..., plan: (any SchemaMigrationPlan.Type)? = nil,
        version: Schema.Version? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try Data(contentsOf: file)
        let error = #expect(throws: SwiftDataError.self, sourceLocation: sourceLocation) {
            _ = try ModelContainer(
                for: Schema(types, version: version), migrationPlan: plan,
                configurations: ModelConfiguration(url: file, durability: .relaxed))
        }
        #expect(error == .backwardMigration, sourceLocation: sourceLocation)
        #expect(error?.propertyName == property, sourceLocation: sourceLocation)
        #expect(try Data(contentsOf: file) == before, sourceLocation: sourceLocation)
    }

    // MARK: Types

    private func addThing() throws {
        let context = try context(Integers.Thing.self, version: Schema.Version(1, 0, 0))
        context.insert(Integers.Thing())
        try context.save()
    }

    /// SQLite does not store the default value of an added column in the rows that exist.
    @Test func defaultsOfAddedColumnsSurviveAnotherType() throws {
        let first = try context(Ratings.First.Rating.self)
        first.insert(Ratings.First.Rating())
        try first.save()
        _ = try context(Ratings.Added.Rating.self)
        let required = try context(Ratings.Required.Rating.self)
        let ratings = try required.fetch(FetchDescriptor<Ratings.Required.Rating>())
        #expect(ratings.map(\.stars) == [3] && ratings.map(\.votes) == [3])
        #expect(try sql("SELECT typeof(stars), stars, typeof(votes), votes FROM Rating") == "real|3.0|real|3.0")
    }

    @Test func typeWithAnotherFormIsRejected() throws {
        try addThing()
        try expectRejection("code", Texts.Thing.self)
        try expectRejection("code", Texts.Thing.self, plan: Lightweight.self, version: Schema.Version(2, 0, 0))
        #expect(throws: SwiftDataError.backwardMigration) {
            _ = try ModelContainer(
                for: Texts.Thing.self, configurations: ModelConfiguration(url: file, allowsSave: false))
        }
        let context = try context(Integers.Thing.self, version: Schema.Version(1, 0, 0))
        #expect(try context.fetch(FetchDescriptor<Integers.Thing>()).map(\.code) == [7])
    }

    @Test func typeCanChangeIfThereAreNoValues() throws {
        _ = try context(Integers.Thing.self)
        let context = try context(Texts.Thing.self)
        context.insert(Texts.Thing(code: "007"))
        try context.save()
        #expect(try sql("SELECT code, typeof(code) FROM Thing") == "007|text")
    }

    /// A custom stage keeps the values that it needs, and sets the new ones.
    @Test func customStageReplacesTheValues() throws {
        try addThing()
        let context = try context(Texts.Thing.self, plan: Custom.self, version: Schema.Version(2, 0, 0))
        #expect(try context.fetch(FetchDescriptor<Texts.Thing>()).map(\.code) == ["7"])
        #expect(try sql("SELECT code, typeof(code) FROM Thing") == "7|text")
        #expect(try VerificationTests.problems(in: file) == [])
    }

    @Test func integersBecomeRealNumbersAndDecimals() throws {
        try addThing()
        let context = try context(Reals.Thing.self)
        #expect(try context.fetch(FetchDescriptor<Reals.Thing>()).map(\.code) == [7])
        #expect(try context.fetchCount(FetchDescriptor<Reals.Thing>(predicate: #Predicate { $0.code / 2 == 3.5 })) == 1)
        #expect(try sql("SELECT typeof(code) FROM Thing") == "real")
        #expect(try VerificationTests.problems(in: file) == [])
    }

    @Test func integersThatAreTooLargeAreRejected() throws {
        try addThing()
        _ = try sql("UPDATE Thing SET code = 9007199254740993")
        try expectRejection("code", Reals.Thing.self)
    }

    /// An earlier version of Chronicle opened such files, and SQLite converted the values.
    @Test func valuesThatWereReinterpretedCanBeRepaired() throws {
        let context = try context(Texts.Thing.self)
        context.insert(Texts.Thing(code: "abc"))
        context.insert(Texts.Thing(code: "x"))
        try context.save()
        _ = try sql(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, '"code" TEXT', '"code" INTEGER') WHERE name = 'Thing';
            PRAGMA writable_schema = RESET; UPDATE Thing SET code = '7' WHERE id = 1;
            """)
        let opened = try self.context(Texts.Thing.self)
        let problems = try VerificationTests.problems(in: file).filter { $0.kind == .column }
        #expect(problems.map(\.row) == [1])
        let detail = try #require(problems.first?.detail)
        let repair = try #require(detail.firstRange(of: "UPDATE ")).lowerBound
        _ = try sql(String(detail[repair...]))
        #expect(try VerificationTests.problems(in: file) == [])
        #expect(try opened.fetch(FetchDescriptor<Texts.Thing>()).map(\.code).sorted() == ["7", "x"])
    }

    // MARK: Relationships

    /// A list has links. The column of the required attribute that it replaces remains.
    @Test func requiredAttributeCanBecomeAListIfThereAreNoValues() throws {
        _ = try context(Listed.First.Rating.self)
        let context = try context(Listed.Rating.self, Listed.Voter.self)
        let rating = Listed.Rating()
        context.insert(rating)
        rating.votes = [Listed.Voter()]
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Listed.Rating>()).map(\.votes.count) == [1])
        #expect(try VerificationTests.problems(in: file) == [])
    }

    /// The column of a removed attribute has the name of a list, which becomes a reference.
    @Test func aListThatBecomesAReferenceReplacesARemovedAttribute() throws {
        let first = try context(Moved.First.Rating.self, Moved.Voter.self)
        first.insert(Moved.First.Rating())
        try first.save()
        _ = try context(Moved.Removed.Rating.self, Moved.Voter.self)
        let renamed = try context(Moved.Renamed.Rating.self, Moved.Voter.self)
        let rating = Moved.Renamed.Rating()
        renamed.insert(rating)
        rating.votes = [Moved.Voter()]
        try renamed.save()
        let last = try context(Moved.Reference.Rating.self, Moved.Voter.self)
        let ratings = try last.fetch(FetchDescriptor<Moved.Reference.Rating>()).sorted {
            $0.persistentModelID < $1.persistentModelID
        }
        #expect(ratings.map { $0.votes == nil } == [true, false])
        #expect(try VerificationTests.problems(in: file) == [])
    }

    /// The table of a removed list has the name of a reference, which becomes a list.
    @Test func aReferenceThatBecomesAListDoesNotShowARemovedOne() throws {
        let first = try context(Moved.Listed.Rating.self, Moved.Voter.self)
        let rating = Moved.Listed.Rating()
        first.insert(rating)
        rating.votes = [Moved.Voter(), Moved.Voter()]
        try first.save()
        _ = try context(Moved.Removed.Rating.self, Moved.Voter.self)
        let second = try context(Moved.Reference.Rating.self, Moved.Voter.self)
        let voter = Moved.Voter()
        second.insert(voter)
        try #require(try second.fetch(FetchDescriptor<Moved.Reference.Rating>()).first).votes = voter
        try second.save()
        let last = try context(Moved.ListedAgain.Rating.self, Moved.Voter.self)
        let votes = try #require(try last.fetch(FetchDescriptor<Moved.ListedAgain.Rating>()).first).votes
        #expect(votes.map(\.persistentModelID) == [voter.persistentModelID])
        #expect(try VerificationTests.problems(in: file) == [])
    }

    /// The links of a list that was removed, and then declared again as the other side of a relationship with another table.
    @Test func aRemovedListDoesNotReturnAsTheInverseOfAnother() throws {
        let first = try context(Songs.First.Song.self, Songs.First.Album.self)
        let song = Songs.First.Song()
        first.insert(song)
        song.albums = [Songs.First.Album()]
        try first.save()
        _ = try context(Songs.Removed.Song.self, Songs.Removed.Album.self)
        _ = try context(Songs.Inverse.Song.self, Songs.Inverse.Album.self)
        let last = try context(Songs.Last.Song.self, Songs.Last.Album.self)
        #expect(try last.fetch(FetchDescriptor<Songs.Last.Song>()).map(\.albums.count) == [0])
        #expect(try last.fetch(FetchDescriptor<Songs.Last.Album>()).map(\.songs.count) == [0])
        #expect(try VerificationTests.problems(in: file) == [])
    }

    /// An earlier version of Chronicle left the links of a removed list in the file.
    @Test func linksRemainIfAClassIsRenamedBesideLinksOfARemovedList() throws {
        let first = try context(Songs.Inverse.Song.self, Songs.Inverse.Album.self)
        let (song, other) = (Songs.Inverse.Song(), Songs.Inverse.Song())
        first.insert(song)
        first.insert(other)
        song.albums = [Songs.Inverse.Album()]
        try first.save()
        _ = try sql(
            """
            CREATE TABLE "Song.albums"(
                owner INTEGER NOT NULL REFERENCES "Song" ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
                destination INTEGER NOT NULL REFERENCES "Album" ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
                PRIMARY KEY (owner, destination)) WITHOUT ROWID;
            INSERT INTO "Song.albums" SELECT s.id, a.id FROM Song AS s, Album AS a
            """)
        let last = try context(Songs.Renamed.Song.self, Songs.Renamed.Vinyl.self)
        let songs = try last.fetch(FetchDescriptor<Songs.Renamed.Song>())
        #expect(songs.filter { !$0.albums.isEmpty }.map(\.persistentModelID) == [song.persistentModelID])
        #expect(try VerificationTests.problems(in: file) == [])
    }

    /// A later version declares the list in a sibling of the class, which it does not declare.
    @Test func linksOfAnUndeclaredSubclassRemain() throws {
        let first = try context(Genres.First.Song.self, Genres.First.Pop.self, Genres.First.Album.self)
        let song = Genres.First.Pop()
        first.insert(song)
        song.albums = [Genres.First.Album()]
        try first.save()
        _ = try context(Genres.Later.Song.self, Genres.Later.Rock.self, Genres.Later.Album.self)
        #expect(try sql(#"SELECT count(*) FROM "Song.albums""#) == "1")
    }

    /// The rows of a subclass that a later version does not declare keep their references.
    @Test func requiredReferencesOfAnUndeclaredSubclassRemain() throws {
        let first = try context(Legs.First.Leg.self, Legs.First.Flight.self, Legs.First.Trip.self)
        first.insert(Legs.First.Flight(trip: Legs.First.Trip()))
        try first.save()
        let later = try context(Legs.Later.Leg.self, Legs.Later.Trip.self)
        later.delete(try #require(try later.fetch(FetchDescriptor<Legs.Later.Trip>()).first))
        #expect(throws: SwiftDataError.self) { try later.save() }
        let again = try context(Legs.First.Leg.self, Legs.First.Flight.self, Legs.First.Trip.self)
        #expect(try again.fetch(FetchDescriptor<Legs.First.Flight>()).map(\.trip.name) == [""])
    }

    @Test func destinationOfAnotherClassIsRejected() throws {
        let context = try context(Owned.Note.self, Owned.User.self, Owned.Team.self)
        let note = Owned.Note()
        context.insert(note)
        note.owner = Owned.User()
        context.insert(Owned.Team())
        try context.save()
        try expectRejection("owner", TeamOwned.Note.self, TeamOwned.User.self)
        try expectRejection("kind", Kinds.Note.self, Kinds.User.self)
        note.owner = nil
        try context.save()
        let other = try self.context(TeamOwned.Note.self)
        let first = try #require(try other.fetch(FetchDescriptor<TeamOwned.Note>()).first)
        #expect(first.owner == nil)
        first.owner = try other.fetch(FetchDescriptor<TeamOwned.Team>()).first
        try other.save()
        #expect(try sql("PRAGMA foreign_key_check; PRAGMA integrity_check") == "ok")
    }

    // MARK: Removed properties

    @Test func removedAttributeThatIsDeclaredAgainHasItsDefaultValue() throws {
        try addThing()
        _ = try context(Plain.Thing.self)
        let context = try context(Plain.Thing.self)
        let token = try context.currentHistoryToken()
        let again = try self.context(Again.Thing.self)
        #expect(try again.fetch(FetchDescriptor<Again.Thing>()).map(\.code) == [5])
        let transactions = try again.fetchHistory(Descriptor.after(token))
        #expect(transactions.map(\.author) == [MigrationStage.author])
        guard case .update(let change as DefaultHistoryUpdate<Again.Thing>)? = transactions.first?.changes.first else {
            Issue.record("\(transactions)")
            return
        }
        #expect(change.previousValue(\.code) == 7)
        #expect(try VerificationTests.problems(in: file) == [])
    }

    @Test func removedAttributeThatIsDeclaredAgainWithAnotherTypeIsRejected() throws {
        try addThing()
        _ = try context(Plain.Thing.self)
        try expectRejection("code", OptionalTexts.Thing.self)
    }

    /// A program with an earlier version neither removes the attributes of later versions nor gives up its own.
    @Test func knownProgramKeepsTheValuesOfOthers() throws {
        try addThing()
        do {
            let context = try context(Extended.Thing.self)
            try #require(try context.fetch(FetchDescriptor<Extended.Thing>()).first).extra = "kept"
            try context.save()
        }
        do {
            let context = try context(Integers.Thing.self, version: Schema.Version(1, 0, 0))
            #expect(try context.fetch(FetchDescriptor<Integers.Thing>()).map(\.code) == [7])
        }
        let later = try context(More.Thing.self)
        #expect(try later.fetch(FetchDescriptor<More.Thing>()).map(\.extra) == ["kept"])
        #expect(try later.fetch(FetchDescriptor<More.Thing>()).map(\.more) == [1])
    }

    /// A default value may differ in each run.
    @Test func programWithAnotherDefaultValueIsKnown() throws {
        try addExtended()
        _ = try context(Integers.Thing.self)
        let context = try context(OtherDefault.Thing.self)
        #expect(try context.fetch(FetchDescriptor<OtherDefault.Thing>()).map(\.extra) == ["kept"])
    }

    /// A later version continues what a known program used after another one had removed it.
    @Test func laterVersionContinuesThePropertiesOfAKnownProgram() throws {
        try addExtended()
        _ = try context(Integers.Thing.self)
        _ = try context(Extended.Thing.self)
        let context = try context(More.Thing.self)
        #expect(try context.fetch(FetchDescriptor<More.Thing>()).map(\.extra) == ["kept"])
    }

    /// An earlier version of Chronicle described only the declarations of the last program.
    @Test func propertiesOfAnotherProgramRemainWithoutADescription() throws {
        try addExtended()
        _ = try context(Integers.Thing.self)
        _ = try sql("DELETE FROM chronicle_meta WHERE name LIKE 'known:%' OR name LIKE 'properties:%'")
        _ = try context(Integers.Thing.self)
        let context = try context(Extended.Thing.self)
        #expect(try context.fetch(FetchDescriptor<Extended.Thing>()).map(\.extra) == ["kept"])
    }

    /// A known program does not rename the property of another one that has the original name.
    @Test func knownProgramRenamesNothing() throws {
        try addExtended()
        func extra() throws -> [String] {
            try context(Renamed.Thing.self).fetch(FetchDescriptor<Renamed.Thing>()).map(\.note)
        }
        func reused() throws -> [String] {
            try context(Reused.Thing.self).fetch(FetchDescriptor<Reused.Thing>()).map(\.extra)
        }
        #expect(try extra() == ["kept"])
        #expect(try reused() == ["new"])
        #expect(try extra() == ["kept"])
        #expect(try reused() == ["new"])
    }

    /// The file of an earlier version whose columns have only their declared types.
    private func removeDescriptions() throws {
        _ = try sql(
            """
            DELETE FROM chronicle_meta WHERE name LIKE 'known:%' OR name LIKE 'properties:%' OR name LIKE 'complete:%';
            UPDATE chronicle_entity SET definition = NULL
            """)
    }

    /// The columns of real numbers have no declared type.
    @Test func realNumbersRemainWithoutADescription() throws {
        do {
            let context = try context(Weighed.Thing.self)
            let thing = Weighed.Thing()
            thing.weight = 2.5
            context.insert(thing)
            try context.save()
        }
        try removeDescriptions()
        let context = try context(Weighed.Thing.self)
        #expect(try context.fetch(FetchDescriptor<Weighed.Thing>()).map(\.weight) == [2.5])
    }

    @Test func destinationsRemainWithoutADescription() throws {
        do {
            let context = try context(Unchecked.Note.self, Unchecked.User.self)
            let note = Unchecked.Note()
            context.insert(note)
            note.owner = Unchecked.User()
            try context.save()
        }
        try removeDescriptions()
        let context = try context(Unchecked.Note.self, Unchecked.User.self)
        #expect(try #require(try context.fetch(FetchDescriptor<Unchecked.Note>()).first).owner != nil)
        #expect(try VerificationTests.problems(in: file) == [])
    }

    private func addExtended() throws {
        let context = try context(Extended.Thing.self)
        let thing = Extended.Thing()
        thing.extra = "kept"
        context.insert(thing)
        try context.save()
    }
}

private enum Integers {
    @Model fileprivate final class Thing {
        var code: Int
        init() { code = 7 }
    }
}

private enum Texts {
    @Model fileprivate final class Thing {
        var code: String = "none"
        init(code: String) { self.code = code }
    }
}

private enum OptionalTexts {
    @Model fileprivate final class Thing {
        var code: String?
        init() {}
    }
}

private enum Reals {
    @Model fileprivate final class Thing {
        var code: Double
        init() { code = 1 }
    }
}

private enum Plain {
    @Model fileprivate final class Thing { init() {} }
}

private enum Again {
    @Model fileprivate final class Thing {
        var code: Int = 5
        init() {}
    }
}

private enum Extended {
    @Model fileprivate final class Thing {
        var code: Int
        var extra: String = "default"
        init() { code = 7 }
    }
}

private enum OtherDefault {
    @Model fileprivate final class Thing {
        var code: Int
        var extra: String = "other"
        init() { code = 7 }
    }
}

private enum Renamed {
    @Model fileprivate final class Thing {
        var code: Int
        @Attribute(originalName: "extra") var note: String = "default"
        init() { code = 7 }
    }
}

private enum Reused {
    @Model fileprivate final class Thing {
        var code: Int
        var extra: String = "new"
        var more = 1
        init() { code = 7 }
    }
}

private enum Weighed {
    @Model fileprivate final class Thing {
        var weight: Double = 1
        init() {}
    }
}

private enum Unchecked {
    @Model fileprivate final class Note {
        @Relationship(deleteRule: .noAction) var owner: User?
        init() {}
    }
    @Model fileprivate final class User { init() {} }
}

private enum More {
    @Model fileprivate final class Thing {
        var code: Int
        var extra: String = "default"
        var more = 1
        init() { code = 7 }
    }
}

private enum V1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Integers.Thing.self] }
}

private enum V2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Texts.Thing.self] }
}

private enum Lightweight: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: V1.self, toVersion: V2.self)] }
}

private enum Custom: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: V1.self, toVersion: V2.self, willMigrate: nil,
                didMigrate: { context in
                    for thing in try context.fetch(FetchDescriptor<Texts.Thing>()) { thing.code = "7" }
                    try context.save()
                })
        ]
    }
}

private enum Owned {
    @Model fileprivate final class Note {
        var kind: String = "k"
        var owner: User?
        init() {}
    }
    @Model fileprivate final class User { init() {} }
    @Model fileprivate final class Team { init() {} }
}

private enum TeamOwned {
    @Model fileprivate final class Note {
        var kind: String = "k"
        var owner: Team?
        init() {}
    }
    @Model fileprivate final class User { init() {} }
    @Model fileprivate final class Team { init() {} }
}

private enum Kinds {
    @Model fileprivate final class Note {
        var kind: Team?
        var owner: User?
        init() {}
    }
    @Model fileprivate final class User { init() {} }
    @Model fileprivate final class Team { init() {} }
}

private enum Ratings {
    enum First {
        @Model fileprivate final class Rating {
            var name = ""
            init() {}
        }
    }

    enum Added {
        @Model fileprivate final class Rating {
            var name = ""
            var stars: Int8 = 3
            var votes: Int8 = 3
            init() {}
        }
    }

    enum Required {
        @Model fileprivate final class Rating {
            var name = ""
            var stars: Float
            var votes: Double = 5
            init(stars: Float) { self.stars = stars }
        }
    }
}

private enum Listed {
    enum First {
        @Model fileprivate final class Rating {
            var votes: Double
            init(votes: Double) { self.votes = votes }
        }
    }

    @Model fileprivate final class Rating {
        @Relationship var votes: [Voter] = []
        init() {}
    }

    @Model fileprivate final class Voter {
        init() {}
    }
}

private enum Moved {
    enum First {
        @Model fileprivate final class Rating {
            var votes = "many"
            init() {}
        }
    }

    enum Removed {
        @Model fileprivate final class Rating {
            @Relationship var others: [Voter] = []
            init() {}
        }
    }

    enum Renamed {
        @Model fileprivate final class Rating {
            @Relationship(originalName: "others") var votes: [Voter] = []
            init() {}
        }
    }

    enum Reference {
        @Model fileprivate final class Rating {
            @Relationship var votes: Voter?
            init() {}
        }
    }

    enum Listed {
        @Model fileprivate final class Rating {
            @Relationship var votes: [Voter] = []
            init() {}
        }
    }

    enum ListedAgain {
        @Model fileprivate final class Rating {
            @Relationship var votes: [Voter] = []
            var name = ""
            init() {}
        }
    }

    @Model fileprivate final class Voter {
        init() {}
    }
}

private enum Songs {
    enum First {
        @Model fileprivate final class Song {
            @Relationship var albums: [Album] = []
            init() {}
        }
        @Model fileprivate final class Album {
            init() {}
        }
    }

    enum Removed {
        @Model fileprivate final class Song {
            init() {}
        }
        @Model fileprivate final class Album {
            init() {}
        }
    }

    enum Inverse {
        @Model fileprivate final class Song {
            @Relationship var albums: [Album] = []
            init() {}
        }
        @Model fileprivate final class Album {
            @Relationship(inverse: \Song.albums) var songs: [Song] = []
            init() {}
        }
    }

    enum Last {
        @Model fileprivate final class Song {
            @Relationship var albums: [Album] = []
            var name = ""
            init() {}
        }
        @Model fileprivate final class Album {
            @Relationship(inverse: \Song.albums) var songs: [Song] = []
            init() {}
        }
    }
}

extension Songs {
    fileprivate enum Renamed {
        @Model fileprivate final class Song {
            @Relationship var albums: [Vinyl] = []
            init() {}
        }
        @Model(originalName: "Album") fileprivate final class Vinyl {
            @Relationship(inverse: \Song.albums) var songs: [Song] = []
            init() {}
        }
    }
}

private enum Genres {
    enum First {
        @Model fileprivate class Song {
            init() {}
        }
        @Model fileprivate final class Pop: Song {
            @Relationship var albums: [Album] = []
            override init() { super.init() }
        }
        @Model fileprivate final class Album {
            init() {}
        }
    }

    enum Later {
        @Model fileprivate class Song {
            init() {}
        }
        @Model fileprivate final class Rock: Song {
            @Relationship var albums: [Album] = []
            override init() { super.init() }
        }
        @Model fileprivate final class Album {
            @Relationship(inverse: \Rock.albums) var songs: [Rock] = []
            init() {}
        }
    }
}

private enum Legs {
    enum First {
        @Model fileprivate class Leg {
            init() {}
        }
        @Model fileprivate final class Flight: Leg {
            @Relationship var trip: Trip
            init(trip: Trip) {
                self.trip = trip
                super.init()
            }
        }
        @Model fileprivate final class Trip {
            var name = ""
            init() {}
        }
    }

    enum Later {
        @Model fileprivate class Leg {
            init() {}
        }
        @Model fileprivate final class Trip {
            var name = ""
            init() {}
        }
    }
}
