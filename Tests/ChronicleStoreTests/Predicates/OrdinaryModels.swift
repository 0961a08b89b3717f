import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Models as in typical apps.
@Model
final class Project {
    enum Status: String, Codable { case open, done }
    enum Priority: Int, Codable, CaseIterable { case low, high }

    var name: String
    var note: String?
    var status: Status
    var priority: Priority
    var mood: Status?
    var due: Date?
    var created: Date
    var isPinned: Bool?
    var tags: [String]
    var owner: Owner?
    @Relationship(deleteRule: .cascade, inverse: \Step.project) var steps: [Step]?

    init(_ name: String, note: String? = nil, _ status: Status = .open, due: Double? = nil, owner: Owner? = nil) {
        self.name = name
        self.note = note
        self.status = status
        priority = status == .open ? .high : .low
        mood = note == nil ? nil : status
        self.due = due.map { Date(timeIntervalSinceReferenceDate: $0) }
        created = Date(timeIntervalSinceReferenceDate: due ?? 50)
        isPinned = due.map { $0 > 10 }
        tags = [name, "a"]
        self.owner = owner
    }
}

@Model
final class Step {
    var title: String
    var hours: Double
    var remark: String?
    var isDone = false
    var project: Project?

    init(_ title: String, _ hours: Double, remark: String? = nil, of project: Project?) {
        self.title = title
        self.hours = hours
        self.remark = remark
        isDone = hours > 2
        self.project = project
    }
}

@Model
final class Owner {
    var name: String
    var nickname: String?
    var boss: Owner?
    @Relationship(inverse: \Owner.boss) var team: [Owner] = []
    @Relationship(inverse: \Project.owner) var projects: [Project] = []

    init(_ name: String, nickname: String? = nil, boss: Owner? = nil) {
        self.name = name
        self.nickname = nickname
        self.boss = boss
    }
}

/// A store with some projects. Predicates are evaluated in three ways: in SQL, on unsaved changes, and by Foundation.
struct ProjectStore {
    private let open: PredicateFixture.OpenStore
    let context: ModelContext
    let owners: [Owner]
    let projects: [Project]

    init(_ fixture: PredicateFixture) throws {
        open = try fixture.open(Schema(Project.self, Step.self, Owner.self))
        context = open.context()
        let ada = Owner("Ada", nickname: "Addie")
        let zoe = Owner("Zoë", boss: ada)
        owners = [ada, zoe, Owner("Max", boss: zoe)]
        projects = [
            Project("Garden", note: "Crème BRÛLÉE", due: 5, owner: ada), Project("garden house", due: 100, owner: zoe),
            Project("Straße", note: "", .done, owner: zoe), Project("日本語の本", note: "50%", due: 20),
            Project("Cafe\u{301}", note: "İstanbul", .done, due: 10, owner: owners[2]),
            Project("", note: fixture.text("a\0B"), due: 0),
        ]
        for project in projects { context.insert(project) }
        for owner in owners { context.insert(owner) }
        for step in [
            Step("Dig", 3, remark: "Früh", of: projects[0]), Step("Übergabe", 1, of: projects[0]),
            Step("dig", 2.5, remark: "", of: projects[1]), Step("Plant", 0, remark: "früh", of: projects[0]),
            Step("Read", 8, of: projects[3]), Step("Nothing", 1, of: nil),
        ] { context.insert(step) }
        try context.save()
    }

    var container: ModelContainer { open.container }

    func agree<Model: PersistentModel>(
        _ predicate: Predicate<Model>, _ location: SourceLocation = #_sourceLocation
    ) throws {
        if try SQLRecorder.records(FetchDescriptor(predicate: predicate), in: container) { return }
        let expected = try context.fetch(FetchDescriptor<Model>()).filter { try predicate.evaluate($0) }
        let names = expected.map(\.persistentModelID)
        #expect(
            try context.fetchIdentifiers(FetchDescriptor(predicate: predicate)) == names, "\(predicate)",
            sourceLocation: location)
        #expect(
            try context.fetchCount(FetchDescriptor(predicate: predicate)) == names.count, "\(predicate)",
            sourceLocation: location)
    }
}
