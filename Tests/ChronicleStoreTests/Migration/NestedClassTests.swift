import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@Model private final class Person {
    var name: String
    init(name: String) { self.name = name }
}

private enum Released {
    @Model fileprivate final class Person {
        var name: String
        init(name: String) { self.name = name }
    }
}

extension Released {
    fileprivate enum Deeper {
        @Model fileprivate final class Person {
            var name: String
            init(name: String) { self.name = name }
        }
    }
}

/// Classes that move to another type or module.
///
/// https://github.com/jasonegray/travel/issues/124
@Suite struct NestedClassTests {
    private let file: URL

    init() throws { file = try TemporaryDirectory().file("people.store") }

    /// Inserts a person with a class of this name, and deletes the one before.
    private func expect<Model: PersistentModel>(
        _ make: (String) -> Model, _ name: KeyPath<Model, String>, _ recorder: ModelConfiguration.Recorder,
        number: Int
    ) throws {
        var configuration = ModelConfiguration(url: file, durability: .relaxed, preservesValues: true)
        configuration.recorder = recorder
        let context = ModelContext(try ModelContainer(for: Model.self, configurations: configuration))
        let people = try context.fetch(FetchDescriptor<Model>())
        #expect(people.map { $0[keyPath: name] } == (number == 0 ? [] : ["person \(number - 1)"]))
        people.forEach(context.delete)
        context.insert(make("person \(number)"))
        try context.save()
        let changes = try context.fetchHistory(Descriptor()).flatMap(\.changes)
        #expect(Set(changes.map(\.changedPersistentIdentifier.entityName)) == ["Person"])
        let inserted = changes.compactMap { change -> String? in
            if case .insert(let insert as DefaultHistoryInsert<Model>) = change { insert.value(name) } else { nil }
        }
        #expect(inserted == (0...number).map { "person \($0)" })
        let deleted = changes.compactMap { change -> String? in
            if case .delete(let delete as DefaultHistoryDelete<Model>) = change { delete.tombstone[name] } else { nil }
        }
        #expect(deleted == (0..<number).map { "person \($0)" })
    }

    @Test(arguments: ModelConfiguration.Recorder.allCases)
    func movedClassesKeepRowsAndHistory(_ recorder: ModelConfiguration.Recorder) throws {
        try expect({ Person(name: $0) }, \Person.name, recorder, number: 0)
        try expect({ Released.Person(name: $0) }, \Released.Person.name, recorder, number: 1)
        try expect({ Released.Deeper.Person(name: $0) }, \Released.Deeper.Person.name, recorder, number: 2)
        // A class of another module.
        try expect({ TravelSchemaV1.Person(name: $0) }, \TravelSchemaV1.Person.name, recorder, number: 3)
        try expect({ Person(name: $0) }, \Person.name, recorder, number: 4)
        #expect(try VerificationTests.problems(in: file) == [])
    }

    @Test func twoClassesOfTheSameNameAreRejected() throws {
        let schema = Schema([Released.Person.self, Released.Deeper.Person.self])
        let error = try failure(of: {
            try ModelContainer(for: schema, configurations: [ModelConfiguration(url: file, durability: .relaxed)])
        })
        #expect(error == .invalidModel && error?.entityName == "Person", "\(String(describing: error))")
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }
}
