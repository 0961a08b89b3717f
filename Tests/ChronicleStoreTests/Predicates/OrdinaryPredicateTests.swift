import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// The predicates of typical SwiftData code, in both kinds of stores.
@Suite("Predicates: ordinary code")
struct OrdinaryPredicateTests {
    @Test("Search fields", arguments: PredicateFixture.all)
    func search(_ fixture: PredicateFixture) throws {
        let store = try ProjectStore(fixture)
        let none: String? = nil
        for text in [
            "gar", "GARDEN", "creme", "brûlée", "É", "ss", "本", "%", "_", "i", "\0b", "", "café", "zoe", "früh",
        ] {
            try store.agree(#Predicate<Project> { $0.name.localizedStandardContains(text) })
            try store.agree(#Predicate<Project> { !$0.name.localizedStandardContains(text) })
            try store.agree(#Predicate<Project> { text.isEmpty || $0.name.localizedStandardContains(text) })
            try store.agree(#Predicate<Project> { text.isEmpty ? true : $0.name.localizedStandardContains(text) })
            try store.agree(
                #Predicate<Project> {
                    if text.isEmpty { true } else { $0.name.localizedStandardContains(text) }
                })
            try store.agree(#Predicate<Project> { $0.note?.localizedStandardContains(text) == true })
            try store.agree(#Predicate<Project> { $0.note?.localizedStandardContains(text) != true })
            try store.agree(#Predicate<Project> { $0.note?.localizedStandardContains(text) ?? false })
            try store.agree(#Predicate<Project> { !($0.note?.localizedStandardContains(text) ?? false) })
            try store.agree(#Predicate<Project> { $0.note?.localizedStandardContains(text) ?? true })
            try store.agree(#Predicate<Project> { ($0.note ?? "").localizedStandardContains(text) })
            try store.agree(#Predicate<Project> { $0.note.flatMap { $0.localizedStandardContains(text) } == nil })
            try store.agree(
                #Predicate<Project> {
                    if let note = $0.note { note.localizedStandardContains(text) } else { false }
                })
            try store.agree(
                #Predicate<Project> {
                    $0.name.localizedStandardContains(text) || $0.note?.localizedStandardContains(text) == true
                })
            try store.agree(#Predicate<Project> { $0.note != none && $0.note!.localizedStandardContains(text) })
            try store.agree(#Predicate<Project> { $0.owner?.name.localizedStandardContains(text) == true })
            try store.agree(#Predicate<Project> { $0.owner?.nickname?.localizedStandardContains(text) ?? false })
            try store.agree(
                #Predicate<Project> { $0.steps?.contains { $0.title.localizedStandardContains(text) } ?? false })
            try store.agree(
                #Predicate<Project> {
                    $0.steps?.contains { $0.remark?.localizedStandardContains(text) == true } == true
                })
            try store.agree(
                #Predicate<Owner> { $0.projects.contains { $0.name.localizedStandardContains(text) } })
            try store.agree(
                #Predicate<Owner> { $0.projects.filter { $0.name.localizedStandardContains(text) }.count > 1 })
            try store.agree(#Predicate<Project> { text.localizedStandardContains($0.name) })
            try store.agree(#Predicate<Project> { $0.name.localizedStandardContains($0.note ?? "a") })
            try store.agree(#Predicate<Project> { _ in text.localizedStandardContains("a") })
            try store.agree(#Predicate<Project> { $0.name.localizedStandardContains(text) == ($0.note == nil) })
        }
    }

    @Test("Searching unsaved changes, and deleting a batch", arguments: PredicateFixture.all)
    func unsaved(_ fixture: PredicateFixture) throws {
        let store = try ProjectStore(fixture)
        let predicate = #Predicate<Project> { $0.name.localizedStandardContains("GARDEN") }
        store.context.insert(Project("Kindergärden"))
        store.projects[0].name = "Forest"
        let found = try store.context.fetch(FetchDescriptor(predicate: predicate)).map(\.name)
        #expect(Set(found) == ["garden house", "Kindergärden"])
        try store.context.save()
        try store.context.delete(model: Project.self, where: predicate)
        #expect(try store.context.fetchCount(FetchDescriptor<Project>()) == 5)
        #expect(try store.context.fetchCount(FetchDescriptor(predicate: predicate)) == 0)
    }

    @Test("The schema of the file does not use search functions")
    func file() throws {
        let store = try TestStore(.file, [Project.self, Step.self, Owner.self])
        let context = store.context()
        context.insert(Project("Garden"))
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor(predicate: #Predicate<Project> { $0.name.count > 4 })) == 1)
        try store.shell("UPDATE Project SET name = 'Orangerie' WHERE name = 'Garden'")
        let predicate = #Predicate<Project> { $0.name.localizedStandardContains("RANG") }
        #expect(try store.context().fetchCount(FetchDescriptor(predicate: predicate)) == 1)
        #expect(try store.shell("SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%chronicle_contains%'") == "0")
    }

    @Test("A predicate with a search can be printed")
    func description() {
        let predicate = #Predicate<Project> { $0.note?.localizedStandardContains("x") == true }
        #expect(predicate.description.contains("contains"))
    }

    @Test("Optional to-many relationships", arguments: PredicateFixture.all)
    func optionalToMany(_ fixture: PredicateFixture) throws {
        let store = try ProjectStore(fixture)
        try store.agree(#Predicate<Project> { $0.steps?.contains { $0.isDone } ?? false })
        try store.agree(#Predicate<Project> { $0.steps?.contains { $0.isDone } == true })
        try store.agree(#Predicate<Project> { ($0.steps?.count ?? 0) > 2 })
        try store.agree(#Predicate<Project> { $0.steps?.isEmpty ?? true })
        try store.agree(#Predicate<Project> { $0.steps?.isEmpty == false })
        try store.agree(#Predicate<Project> { $0.steps?.allSatisfy { $0.isDone } ?? true })
        try store.agree(#Predicate<Project> { $0.steps?.filter { $0.isDone }.isEmpty == true })
        try store.agree(#Predicate<Project> { $0.steps!.contains { $0.isDone } })
        try store.agree(#Predicate<Project> { $0.steps != nil })
        try store.agree(#Predicate<Project> { $0.steps == nil })
        try store.agree(#Predicate<Project> { nil != $0.steps })
        try store.agree(#Predicate<Step> { $0.project?.steps == nil })
        try store.agree(#Predicate<Step> { $0.project?.steps != nil && $0.hours > 2 })
        try store.agree(#Predicate<Project> { if let steps = $0.steps { steps.count > 1 } else { false } })
        try store.agree(#Predicate<Step> { $0.project?.steps?.contains { $0.isDone } ?? false })
        try store.agree(#Predicate<Step> { ($0.project?.steps?.count ?? 0) > 1 })
    }

    @Test("To-one relationships and identifiers", arguments: PredicateFixture.all)
    func toOne(_ fixture: PredicateFixture) throws {
        let store = try ProjectStore(fixture)
        let (zoe, project) = (store.owners[1], store.projects[1])
        let (zoeID, id) = (zoe.persistentModelID, project.persistentModelID)
        let (name, ids, names) = ("Zoë", [id, zoeID], ["Garden", "Straße"])
        let optionalID: PersistentIdentifier? = zoeID
        try store.agree(#Predicate<Project> { $0.owner?.name == name })
        try store.agree(#Predicate<Project> { $0.owner?.boss?.name == "Ada" })
        try store.agree(#Predicate<Step> { $0.project?.owner?.boss?.name == "Ada" })
        try store.agree(#Predicate<Project> { $0.owner?.persistentModelID == zoeID })
        try store.agree(#Predicate<Project> { $0.owner?.persistentModelID == optionalID })
        try store.agree(#Predicate<Project> { $0.owner?.id == zoeID })
        try store.agree(#Predicate<Project> { $0.persistentModelID == id })
        try store.agree(#Predicate<Project> { $0.id == id })
        try store.agree(#Predicate<Project> { ids.contains($0.persistentModelID) })
        try store.agree(#Predicate<Project> { names.contains($0.name) })
        try store.agree(#Predicate<Project> { names.contains($0.note ?? "") })
        try store.agree(#Predicate<Project> { $0.owner == nil })
        try store.agree(#Predicate<Project> { $0.owner?.team.isEmpty == false })
        try store.agree(#Predicate<Project> { $0.owner?.projects.contains { $0.name == "Straße" } == true })
        try store.agree(#Predicate<Owner> { $0.projects.contains { $0.persistentModelID == id } })
        try store.agree(#Predicate<Owner> { $0.projects.contains { ids.contains($0.persistentModelID) } })
        try store.agree(#Predicate<Owner> { $0.boss?.team.count == 1 })
    }

    @Test("Values", arguments: PredicateFixture.all)
    func values(_ fixture: PredicateFixture) throws {
        let store = try ProjectStore(fixture)
        let (done, high, from, to) = (
            Project.Status.done, Project.Priority.high, Date(timeIntervalSinceReferenceDate: 5),
            Date(timeIntervalSinceReferenceDate: 20)
        )
        let statuses: [Project.Status] = [.done]
        let someStatus: Project.Status? = .done
        let (now, past, showsAll) = (Date(timeIntervalSinceReferenceDate: 1e9), Date.distantPast, false)
        let range = from...to
        try store.agree(#Predicate<Project> { $0.status == done })
        try store.agree(#Predicate<Project> { $0.status != done })
        try store.agree(#Predicate<Project> { $0.mood == done })
        try store.agree(#Predicate<Project> { $0.mood == someStatus })
        try store.agree(#Predicate<Project> { $0.mood != someStatus })
        try store.agree(#Predicate<Project> { statuses.contains($0.status) })
        try store.agree(#Predicate<Project> { $0.priority == high })
        try store.agree(#Predicate<Project> { $0.priority.rawValue >= 1 })
        try store.agree(#Predicate<Project> { $0.isPinned == true })
        try store.agree(#Predicate<Project> { $0.isPinned != true })
        try store.agree(#Predicate<Project> { $0.isPinned ?? false })
        try store.agree(#Predicate<Project> { $0.created < now })
        try store.agree(#Predicate<Project> { $0.due ?? past > from })
        try store.agree(#Predicate<Project> { $0.due != nil && $0.due! <= to })
        try store.agree(#Predicate<Project> { if let due = $0.due { due < to } else { true } })
        try store.agree(#Predicate<Project> { if let due = $0.due { due >= from && due < to } else { false } })
        try store.agree(#Predicate<Project> { range.contains($0.created) })
        try store.agree(#Predicate<Project> { (from...to).contains($0.created) })
        try store.agree(#Predicate<Project> { (from..<to).contains($0.due ?? past) })
        try store.agree(#Predicate<Project> { showsAll || $0.status == done })
        try store.agree(#Predicate<Project> { showsAll ? true : $0.status == done })
        try store.agree(#Predicate<Project> { ($0.status == done ? $0.name : $0.note ?? "") == "Straße" })
        try store.agree(#Predicate<Project> { $0.name.isEmpty })
        try store.agree(#Predicate<Project> { $0.name.count > 3 })
        try store.agree(#Predicate<Project> { $0.name.count == 4 })
        try store.agree(#Predicate<Project> { ($0.note?.count ?? 0) > 3 })
        try store.agree(#Predicate<Project> { $0.name.starts(with: "Gar") })
        try store.agree(#Predicate<Project> { $0.note?.starts(with: "Cr") == true })
        try store.agree(#Predicate<Project> { $0.note?.isEmpty ?? true })
    }
}
