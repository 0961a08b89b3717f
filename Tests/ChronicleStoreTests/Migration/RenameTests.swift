import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Names that several properties and classes exchange, pass on, or had before.
@Suite struct RenameTests {
    private let file: URL

    init() throws { file = try TemporaryDirectory().file("renamed.store") }

    private func context(
        _ types: [any PersistentModel.Type], plan: (any SchemaMigrationPlan.Type)? = nil,
        version: Schema.Version? = nil
    ) throws -> ModelContext {
        ModelContext(
            try ModelContainer(
                for: Schema(types, version: version), migrationPlan: plan,
                configurations: ModelConfiguration(url: file, durability: .relaxed, preservesValues: true)))
    }

    private func expectRejection(
        _ entity: String?, _ property: String?, _ types: any PersistentModel.Type...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try Data(contentsOf: file)
        let error = #expect(throws: SwiftDataError.self, sourceLocation: sourceLocation) {
            _ = try ModelContainer(
                for: Schema(types), configurations: ModelConfiguration(url: file, durability: .relaxed))
        }
        #expect(error == .backwardMigration, sourceLocation: sourceLocation)
        #expect(error?.entityName == entity && error?.propertyName == property, sourceLocation: sourceLocation)
        #expect(try Data(contentsOf: file) == before, sourceLocation: sourceLocation)
    }

    private func sql(_ statement: String) throws -> String { try Shell.sqlite3(file, statement) }

    // MARK: Chains

    private func addNode() throws {
        let context = try context([Letters.Node.self])
        let node = Letters.Node()
        context.insert(node)
        node.a = "A"
        node.b = "B"
        node.p = Letters.Leaf("p")
        node.q = Letters.Leaf("q")
        node.x = [Letters.Leaf("x")]
        node.y = [Letters.Leaf("y1"), Letters.Leaf("y2")]
        try context.save()
    }

    @Test func chainsKeepValuesLinksAndHistory() throws {
        try addNode()
        let numbers = try sql("SELECT group_concat(number) FROM chronicle_attribute WHERE name IN ('a','b','x','y')")
        let context = try context([Chain.Node.self])
        let node = try #require(try context.fetch(FetchDescriptor<Chain.Node>()).first)
        #expect(node.b == "A" && node.c == "B")
        #expect(node.q?.name == "p" && node.r?.name == "q")
        #expect(node.y.map(\.name) == ["x"] && node.z.map(\.name).sorted() == ["y1", "y2"])
        #expect(
            try sql("SELECT group_concat(number) FROM chronicle_attribute WHERE name IN ('b','c','y','z')") == numbers)
        // The constraint belongs to the property, and not to its former column.
        let other = Chain.Node()
        context.insert(other)
        (other.b, other.c) = ("other", "B")
        try context.save()
        let replaced = Chain.Node()
        context.insert(replaced)
        replaced.b = "A"
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Chain.Node>(predicate: #Predicate { $0.b == "A" })) == 1)
        #expect(try VerificationTests.problems(in: file) == [])
    }

    @Test func exchangeOfNamesNeedsAStage() throws {
        try addNode()
        try expectRejection("Node", "a", Exchange.Node.self)
        let context = try context([Exchange.Node.self], plan: ExchangePlan.self, version: Schema.Version(2, 0, 0))
        let node = try #require(try context.fetch(FetchDescriptor<Exchange.Node>()).first)
        #expect(node.a == "B" && node.b == "A")
        #expect(node.x.map(\.name).sorted() == ["y1", "y2"] && node.y.map(\.name) == ["x"])
        // The names are exchanged once.
        let again = try self.context([Exchange.Node.self])
        #expect(try again.fetch(FetchDescriptor<Exchange.Node>()).map(\.a) == ["B"])
        #expect(try VerificationTests.problems(in: file) == [])
    }

    @Test func programThatIsOpenDuringARename() throws {
        try addNode()
        let old = try context([Letters.Node.self])
        _ = try context([Chain.Node.self])
        #expect(throws: SwiftDataError.newerSchemaVersion) { try old.fetch(FetchDescriptor<Letters.Node>()) }
        old.insert(Letters.Node())
        #expect(throws: SwiftDataError.newerSchemaVersion) { try old.save() }
    }

    /// A program with the earlier names opens the file again.
    @Test func earlierNamesOfPropertiesAreRejected() throws {
        try addNode()
        _ = try context([Chain.Node.self])
        let before = try Data(contentsOf: file)
        let error = #expect(throws: SwiftDataError.self) { _ = try context([Letters.Node.self]) }
        #expect(error == .newerSchemaVersion && error?.entityName == "Node" && error?.propertyName == "a")
        #expect(try Data(contentsOf: file) == before)
        let later = try context([Chain.Node.self])
        #expect(try later.fetch(FetchDescriptor<Chain.Node>()).map(\.b) == ["A"])
    }

    /// The last version renames the property again, does not declare the original name any more, removes the property, or has
    /// another one with the name.
    @Test(
        arguments: [
            Titles.Again.Item.self, Titles.Forgotten.Item.self, Titles.Removed.Item.self, Titles.Reused.Item.self,
        ] as [any PersistentModel.Type])
    func earlierNamesAreRejectedAfterFurtherChanges(_ last: any PersistentModel.Type) throws {
        let first = try context([Titles.First.Item.self])
        first.insert(Titles.First.Item())
        try first.save()
        _ = try context([Titles.Second.Item.self])
        _ = try context([last])
        let before = try Data(contentsOf: file)
        let error = #expect(throws: SwiftDataError.self) { _ = try context([Titles.First.Item.self]) }
        #expect(error == .newerSchemaVersion && error?.entityName == "Item" && error?.propertyName == "name")
        #expect(try Data(contentsOf: file) == before)
        _ = try context([last])
    }

    @Test func earlierNamesOfClassesAreRejectedAfterFurtherRenames() throws {
        _ = try context([Classes.Trip.self])
        _ = try context([Tours.Tour.self])
        _ = try context([Journeys.Journey.self])
        let error = #expect(throws: SwiftDataError.self) { _ = try context([Classes.Trip.self]) }
        #expect(error == .newerSchemaVersion && error?.entityName == "Trip" && error?.propertyName == nil)
        _ = try context([Journeys.Journey.self])
    }

    @Test func earlierNamesOfClassesAreRejected() throws {
        _ = try context([Classes.Trip.self])
        _ = try context([Tours.Tour.self])
        let error = #expect(throws: SwiftDataError.self) { _ = try context([Classes.Trip.self]) }
        #expect(error == .newerSchemaVersion && error?.entityName == "Trip" && error?.propertyName == nil)
        _ = try context([Tours.Tour.self])
    }

    // MARK: Names of removed properties

    @Test func nameOfARemovedPropertyShowsTheRenamedOne() throws {
        try addNode()
        _ = try context([Fewer.Node.self])
        let context = try context([Reused.Node.self])
        let node = try #require(try context.fetch(FetchDescriptor<Reused.Node>()).first)
        #expect(node.b == "A" && node.q?.name == "p" && node.y.map(\.name) == ["x"])
        #expect(try VerificationTests.problems(in: file) == [])
    }

    @Test func nameOfALivePropertyIsRejected() throws {
        try addNode()
        try expectRejection("Node", "b", Reused.Node.self)
    }

    // MARK: Classes

    @Test func nameOfAnotherClassIsRejected() throws {
        do {
            let context = try context([Classes.Trip.self, Classes.Tour.self])
            context.insert(Classes.Trip())
            try context.save()
        }
        _ = try context([Classes.Trip.self])
        try expectRejection("Tour", nil, Tours.Tour.self)
    }

    @Test func classesFormAChain() throws {
        do {
            let context = try context([Classes.Trip.self, Classes.Tour.self])
            context.insert(Classes.Trip())
            try context.save()
        }
        let context = try context([ClassChain.Tour.self, ClassChain.Walk.self])
        #expect(try context.fetchCount(FetchDescriptor<ClassChain.Tour>()) == 1)
        #expect(try context.fetchCount(FetchDescriptor<ClassChain.Walk>()) == 0)
    }

    /// Versions keep the original names of earlier ones.
    @Test func classesPassTheirNamesOnInTurn() throws {
        func open(_ types: any PersistentModel.Type...) throws { _ = try context(types) }
        try open(Ways.Way.self)
        _ = try sql("INSERT INTO Way(name) VALUES ('first')")
        try open(Ways.Road.self)
        try open(Ways.Road.self, Ways.Way.self)
        _ = try sql("INSERT INTO Way(name) VALUES ('second')")
        try open(Ways.Street.self, Ways.Road.self)
        #expect(try [sql("SELECT name FROM Street"), sql("SELECT name FROM Road")] == ["first", "second"])
        try open(Ways.Street.self, Ways.Road.self, Ways.Way.self)
        _ = try sql("INSERT INTO Way(name) VALUES ('third')")
        try open(Ways.Lane.self, Ways.Street.self, Ways.Road.self)
        #expect(try sql("SELECT name FROM Lane") == "first")
        #expect(try sql("SELECT name FROM Street") == "second")
        #expect(try sql("SELECT name FROM Road") == "third")
        #expect(try VerificationTests.problems(in: file) == [])
    }

    @Test func exchangeOfClassesNeedsAStage() throws {
        do {
            let context = try context([Classes.Trip.self, Classes.Tour.self])
            let trip = Classes.Trip()
            context.insert(trip)
            trip.stops = [Classes.Stop()]
            try context.save()
        }
        try expectRejection("Tour", nil, ClassExchange.Trip.self, ClassExchange.Tour.self)
        let types: [any PersistentModel.Type] = [ClassExchange.Trip.self, ClassExchange.Tour.self]
        let context = try context(types, plan: ClassExchangePlan.self, version: Schema.Version(2, 0, 0))
        #expect(
            try context.fetch(FetchDescriptor<ClassExchange.Tour>()).map { [$0.name, "\($0.stops.count)"] } == [
                ["trip", "1"]
            ])
        #expect(try context.fetchCount(FetchDescriptor<ClassExchange.Trip>()) == 0)
        let again = try self.context(types)
        #expect(try again.fetch(FetchDescriptor<ClassExchange.Tour>()).map(\.name) == ["trip"])
        #expect(try VerificationTests.problems(in: file) == [])
    }

    @Test func caseOfAName() throws {
        do {
            let context = try context([Classes.Trip.self])
            let trip = Classes.Trip()
            context.insert(trip)
            trip.stops = [Classes.Stop()]
            try context.save()
        }
        let context = try context([Case.TRIP.self])
        let trip = try #require(try context.fetch(FetchDescriptor<Case.TRIP>()).first)
        #expect(trip.Name == "trip" && trip.stops.count == 1)
        #expect(try VerificationTests.problems(in: file) == [])
    }

    // MARK: Subclasses

    @Test func propertiesOfSubclassesHaveTheirDefaultValues() throws {
        do {
            let context = try context([Pets.Animal.self, Pets.Dog.self, Pets.Cat.self])
            for model in [Pets.Dog(), Pets.Cat(), Pets.Animal()] { context.insert(model) }
            try context.save()
        }
        try expectRejection("Dog", "tricks", Strict.Animal.self, Strict.Dog.self)
        let context = try context([More.Animal.self, More.Dog.self, More.Cat.self])
        #expect(try context.fetch(FetchDescriptor<More.Dog>()).map { [$0.age, $0.tricks] } == [[3, 7]])
        #expect(try context.fetch(FetchDescriptor<More.Cat>()).map(\.age) == [9])
        #expect(try context.fetchCount(FetchDescriptor<More.Animal>()) == 3)
        #expect(try sql("SELECT count(age), count(tricks) FROM Animal WHERE chronicle_entity IS NULL") == "0|0")
        #expect(try VerificationTests.problems(in: file) == [])
    }

    /// Two classes that share a column rename different properties to one name, or only one of them renames a property.
    @Test func siblingsRenameDifferentProperties() throws {
        do {
            let context = try context([Siblings.Animal.self, Siblings.Dog.self, Siblings.Cat.self])
            context.insert(Siblings.Dog())
            context.insert(Siblings.Cat())
            try context.save()
        }
        try expectRejection("Animal", "x", TwoNames.Animal.self, TwoNames.Dog.self, TwoNames.Cat.self)
        try expectRejection("Animal", "x", HalfRenamed.Animal.self, HalfRenamed.Dog.self, HalfRenamed.Cat.self)
        let kept: [any PersistentModel.Type] = [KeptName.Animal.self, KeptName.Dog.self, KeptName.Cat.self]
        let before = try Data(contentsOf: file)
        for plan in [nil, KeptNamePlan.self] as [(any SchemaMigrationPlan.Type)?] {
            let error = #expect(throws: SwiftDataError.self) {
                _ = try self.context(kept, plan: plan, version: plan.map { _ in Schema.Version(2, 0, 0) })
            }
            #expect(error == .backwardMigration && error?.propertyName == "a")
            #expect(try Data(contentsOf: file) == before)
        }
        // The property of one class only exists.
        let context = try context([OneName.Animal.self, OneName.Dog.self, OneName.Cat.self])
        #expect(try context.fetch(FetchDescriptor<OneName.Dog>()).map(\.x) == [nil])
        #expect(try context.fetch(FetchDescriptor<OneName.Cat>()).map(\.x) == ["cat"])
        #expect(try VerificationTests.problems(in: file) == [])
    }

    // MARK: Default values

    @Test func everyDefaultValueCanBeAdded() throws {
        do {
            let context = try context([Bare.Item.self])
            context.insert(Bare.Item())
            try context.save()
        }
        let context = try context([Unusual.Item.self])
        context.insert(Unusual.Item())
        try context.save()
        _ = try sql("INSERT INTO Item(number) VALUES (3)")
        for item in try ModelContext(context.container).fetch(FetchDescriptor<Unusual.Item>()) {
            #expect(item.infinite == .infinity && item.negative == -.infinity && item.undefined.isNaN)
            #expect(item.separator == "a\0b" && item.zero == 0 && item.zero.sign == .minus)
        }
        // The columns of the defaults can change later.
        let optional = try self.context([Optionals.Item.self])
        #expect(try optional.fetch(FetchDescriptor<Optionals.Item>()).map(\.separator) == ["a\0b", "a\0b", "a\0b"])
        #expect(try VerificationTests.problems(in: file) == [])
    }
}

private enum Titles {
    enum First {
        @Model fileprivate final class Item {
            var name: String? = "first"
            init() {}
        }
    }
    enum Second {
        @Model fileprivate final class Item {
            @Attribute(originalName: "name") var title: String?
            init() {}
        }
    }
    enum Again {
        @Model fileprivate final class Item {
            @Attribute(originalName: "title") var headline: String?
            init() {}
        }
    }
    enum Forgotten {
        @Model fileprivate final class Item {
            var title: String?
            init() {}
        }
    }
    enum Removed {
        @Model fileprivate final class Item {
            var code: String?
            init() {}
        }
    }
    enum Reused {
        @Model fileprivate final class Item {
            @Attribute(originalName: "name") var title: String?
            var name: String?
            init() {}
        }
    }
}

private enum Journeys {
    @Model(originalName: "Tour") fileprivate final class Journey {
        var name = "trip"
        init() {}
    }
}

private enum Letters {
    @Model fileprivate final class Node {
        var a = ""
        @Attribute(.unique) var b: String = ""
        @Relationship var p: Leaf?
        @Relationship var q: Leaf?
        @Relationship var x: [Leaf] = []
        @Relationship var y: [Leaf] = []
        init() {}
    }
    @Model fileprivate final class Leaf {
        var name: String
        init(_ name: String) { self.name = name }
    }
}

private enum Chain {
    @Model fileprivate final class Node {
        @Attribute(.unique, originalName: "a") var b: String = ""
        @Attribute(originalName: "b") var c: String = ""
        @Relationship(originalName: "p") var q: Leaf?
        @Relationship(originalName: "q") var r: Leaf?
        @Relationship(originalName: "x") var y: [Leaf] = []
        @Relationship(originalName: "y") var z: [Leaf] = []
        init() {}
    }
    @Model fileprivate final class Leaf {
        var name: String
        init(_ name: String) { self.name = name }
    }
}

private enum Exchange {
    @Model fileprivate final class Node {
        @Attribute(originalName: "b") var a: String = ""
        @Attribute(originalName: "a") var b: String = ""
        @Relationship var p: Leaf?
        @Relationship var q: Leaf?
        @Relationship(originalName: "y") var x: [Leaf] = []
        @Relationship(originalName: "x") var y: [Leaf] = []
        init() {}
    }
    @Model fileprivate final class Leaf {
        var name: String
        init(_ name: String) { self.name = name }
    }
}

private enum LettersVersion: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Letters.Node.self, Letters.Leaf.self] }
}

private enum ExchangeVersion: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Exchange.Node.self, Exchange.Leaf.self] }
}

private enum ExchangePlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [LettersVersion.self, ExchangeVersion.self] }
    static var stages: [MigrationStage] {
        [.lightweight(fromVersion: LettersVersion.self, toVersion: ExchangeVersion.self)]
    }
}

private enum Fewer {
    @Model fileprivate final class Node {
        var a = ""
        @Relationship var p: Leaf?
        @Relationship var x: [Leaf] = []
        init() {}
    }
    @Model fileprivate final class Leaf {
        var name: String
        init(_ name: String) { self.name = name }
    }
}

private enum Reused {
    @Model fileprivate final class Node {
        @Attribute(originalName: "a") var b: String = ""
        @Relationship(originalName: "p") var q: Leaf?
        @Relationship(originalName: "x") var y: [Leaf] = []
        init() {}
    }
    @Model fileprivate final class Leaf {
        var name: String
        init(_ name: String) { self.name = name }
    }
}

private enum Classes {
    @Model fileprivate final class Trip {
        @Attribute(.unique) var name: String = "trip"
        @Relationship var stops: [Stop] = []
        init() {}
    }
    @Model fileprivate final class Tour {
        @Attribute(.unique) var name: String = "tour"
        init() {}
    }
    @Model fileprivate final class Stop { init() {} }
}

private enum Tours {
    @Model(originalName: "Trip") fileprivate final class Tour {
        var name = "trip"
        init() {}
    }
}

private enum ClassChain {
    @Model(originalName: "Trip") fileprivate final class Tour {
        @Attribute(.unique) var name: String = "trip"
        init() {}
    }
    @Model(originalName: "Tour") fileprivate final class Walk {
        @Attribute(.unique) var name: String = "tour"
        init() {}
    }
}

private enum ClassExchange {
    @Model(originalName: "Tour") fileprivate final class Trip {
        @Attribute(.unique) var name: String = "tour"
        init() {}
    }
    @Model(originalName: "Trip") fileprivate final class Tour {
        @Attribute(.unique) var name: String = "trip"
        @Relationship var stops: [Stop] = []
        init() {}
    }
    @Model fileprivate final class Stop { init() {} }
}

private enum ClassesVersion: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Classes.Trip.self, Classes.Tour.self, Classes.Stop.self] }
}

private enum ClassExchangeVersion: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] {
        [ClassExchange.Trip.self, ClassExchange.Tour.self, ClassExchange.Stop.self]
    }
}

private enum ClassExchangePlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [ClassesVersion.self, ClassExchangeVersion.self] }
    static var stages: [MigrationStage] {
        [.lightweight(fromVersion: ClassesVersion.self, toVersion: ClassExchangeVersion.self)]
    }
}

private enum Case {
    @Model(originalName: "Trip") fileprivate final class TRIP {
        @Attribute(originalName: "name") var Name: String = "trip"
        @Relationship var stops: [Stop] = []
        init() {}
    }
    @Model fileprivate final class Stop { init() {} }
}

private enum Pets {
    @Model fileprivate class Animal {
        var name = ""
        init() {}
    }
    @Model fileprivate final class Dog: Animal {
        var age: Int = 3
        var tricks: Int?
        override init() { super.init() }
    }
    @Model fileprivate final class Cat: Animal { override init() { super.init() } }
}

private enum More {
    @Model fileprivate class Animal {
        var name = ""
        init() {}
    }
    @Model fileprivate final class Dog: Animal {
        var age: Int = 3
        var tricks: Int = 7
        override init() { super.init() }
    }
    @Model fileprivate final class Cat: Animal {
        var age: Int = 9
        override init() { super.init() }
    }
}

private enum Strict {
    @Model fileprivate class Animal {
        var name = ""
        init() {}
    }
    @Model fileprivate final class Dog: Animal {
        var age: Int = 3
        var tricks: Int
        override init() {
            tricks = 1
            super.init()
        }
    }
}

private enum Siblings {
    @Model fileprivate class Animal { init() {} }
    @Model fileprivate final class Dog: Animal {
        var a: String? = "dog"
        var c: String? = "c"
    }
    @Model fileprivate final class Cat: Animal {
        var b: String? = "cat"
        var c: String? = "c"
    }
}

private enum HalfRenamed {
    @Model fileprivate class Animal { init() {} }
    @Model fileprivate final class Dog: Animal { @Attribute(originalName: "c") var x: String? }
    @Model fileprivate final class Cat: Animal { var x: String? }
}

private enum TwoNames {
    @Model fileprivate class Animal { init() {} }
    @Model fileprivate final class Dog: Animal { @Attribute(originalName: "a") var x: String? }
    @Model fileprivate final class Cat: Animal { @Attribute(originalName: "b") var x: String? }
}

private enum KeptName {
    @Model fileprivate class Animal { init() {} }
    @Model fileprivate final class Dog: Animal { var a: String? = "dog" }
    @Model fileprivate final class Cat: Animal { @Attribute(originalName: "b") var a: String? }
}

private enum OneName {
    @Model fileprivate class Animal { init() {} }
    @Model fileprivate final class Dog: Animal { @Attribute(originalName: "z") var x: String? }
    @Model fileprivate final class Cat: Animal { @Attribute(originalName: "b") var x: String? }
}

private enum SiblingsVersion: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Siblings.Animal.self, Siblings.Dog.self, Siblings.Cat.self] }
}

private enum KeptNameVersion: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [KeptName.Animal.self, KeptName.Dog.self, KeptName.Cat.self] }
}

private enum KeptNamePlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [SiblingsVersion.self, KeptNameVersion.self] }
    static var stages: [MigrationStage] {
        [.lightweight(fromVersion: SiblingsVersion.self, toVersion: KeptNameVersion.self)]
    }
}

private enum Bare {
    @Model fileprivate final class Item {
        var number = 1
        init() {}
    }
}

private enum Unusual {
    @Model fileprivate final class Item {
        var number = 1
        var infinite: Double = Double.infinity
        var negative: Double = -Double.infinity
        var undefined: Double = Double.nan
        var separator: String = "a\0b"
        var zero: Double = -0.0
        init() {}
    }
}

private enum Optionals {
    @Model fileprivate final class Item {
        var number = 1
        var infinite: Double? = Double.infinity
        var negative: Double?
        var undefined: Double?
        var separator: String? = "a\0b"
        init() {}
    }
}

private enum Ways {
    @Model fileprivate final class Way {
        var name: String?
        init() {}
    }
    @Model(originalName: "Way") fileprivate final class Road {
        var name: String?
        init() {}
    }
    @Model(originalName: "Road") fileprivate final class Street {
        var name: String?
        init() {}
    }
    @Model(originalName: "Street") fileprivate final class Lane {
        var name: String?
        init() {}
    }
}
