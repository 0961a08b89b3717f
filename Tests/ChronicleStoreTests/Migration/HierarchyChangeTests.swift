import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Changes of models that inherit from models, without a migration plan.
@Suite struct HierarchyChangeTests {
    private let file: URL

    init() throws { file = try TemporaryDirectory().file("changing.store") }

    private func context(_ types: [any PersistentModel.Type]) throws -> ModelContext {
        ModelContext(
            try ModelContainer(
                for: Schema(types), configurations: [ModelConfiguration(url: file, durability: .relaxed)]))
    }

    private static let single: [any PersistentModel.Type] = [Single.Person.self, Single.Employee.self]
    private static let several: [any PersistentModel.Type] = [Several.Person.self, Several.Employee.self]

    private func addModels() throws {
        let context = try context(Self.single)
        let (team, person, employee) = (Single.Team("sales"), Single.Person("Ann"), Single.Employee("Bob"))
        for model in [team, person, employee] as [any PersistentModel] { context.insert(model) }
        (employee.desk, employee.mentor, employee.team) = (Single.Desk("d1"), person, team)
        (team.lead, team.guest) = (employee, person)
        try context.save()
    }

    @Test func relationshipsOfSubclassesBecomeToMany() throws {
        try addModels()
        let context = try context(Self.several)
        let employee = try #require(try context.fetch(FetchDescriptor<Several.Employee>()).first)
        let team = try #require(try context.fetch(FetchDescriptor<Several.Team>()).first)
        #expect(employee.desks.map(\.name) == ["d1"] && employee.mentor.map(\.name) == ["Ann"])
        #expect(employee.team.map(\.name) == ["sales"] && team.members.map(\.name) == ["Bob"])
        #expect(team.leads.map(\.name) == ["Bob"] && team.guest.map(\.name) == ["Ann"])
    }

    @Test func relationshipsOfSubclassesBecomeToOneAgain() throws {
        try addModels()
        _ = try context(Self.several)
        let context = try context(Self.single)
        let employee = try #require(try context.fetch(FetchDescriptor<Single.Employee>()).first)
        let team = try #require(try context.fetch(FetchDescriptor<Single.Team>()).first)
        #expect(employee.desk?.name == "d1" && employee.mentor?.name == "Ann" && employee.team === team)
        #expect(team.lead === employee && team.members.map(\.name) == ["Bob"] && team.guest?.name == "Ann")
        #expect(try Shell.sqlite3(file, "PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
    }
}

private enum Single {
    @Model fileprivate class Person {
        var name: String
        init(_ name: String) { self.name = name }
    }
    @Model fileprivate final class Employee: Person {
        @Relationship(originalName: "desks") var desk: Desk?
        var mentor: Person?
        @Relationship(inverse: \Team.members) var team: Team?
    }
    @Model fileprivate final class Team {
        var name: String
        @Relationship(originalName: "leads") var lead: Employee?
        var guest: Person?
        var members: [Employee] = []
        init(_ name: String) { self.name = name }
    }
    @Model fileprivate final class Desk {
        var name: String
        init(_ name: String) { self.name = name }
    }
}

private enum Several {
    @Model fileprivate class Person {
        var name: String
        init(_ name: String) { self.name = name }
    }
    @Model fileprivate final class Employee: Person {
        @Relationship(originalName: "desk") var desks: [Desk] = []
        var mentor: [Person] = []
        @Relationship(inverse: \Team.members) var team: [Team] = []
    }
    @Model fileprivate final class Team {
        var name: String
        @Relationship(originalName: "lead") var leads: [Employee] = []
        var guest: [Person] = []
        var members: [Employee] = []
        init(_ name: String) { self.name = name }
    }
    @Model fileprivate final class Desk {
        var name: String
        init(_ name: String) { self.name = name }
    }
}
