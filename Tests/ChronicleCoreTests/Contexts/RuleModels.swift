import Chronicle
import Foundation

/// A project requires an owner and cannot be deleted while it has tasks.
@Model
final class RuleProject {
    var name: String
    @Relationship var owner: RulePerson
    @Relationship(deleteRule: .deny, inverse: \RuleTask.project) var tasks: [RuleTask] = []
    @Relationship(.unique) var badge: RuleBadge?

    init(_ name: String, _ owner: RulePerson) {
        self.name = name
        self.owner = owner
    }
}

@Model
final class RuleTask {
    var title: String
    var project: RuleProject

    init(_ title: String, _ project: RuleProject) {
        self.title = title
        self.project = project
    }
}

@Model
final class RulePerson {
    var name: String
    var role = RuleRole.guest
    @Relationship(deleteRule: .cascade, inverse: \RuleProject.owner) var projects: [RuleProject]?

    init(_ name: String) { self.name = name }
}

enum RuleRole: String, Codable, CaseIterable {
    case guest, member
}

@Model
final class RuleBadge {
    var number = 0
}

/// A team has two or three members; a member cannot be deleted while it is in a team.
@Model
final class RuleTeam {
    var name: String
    @Relationship(minimumModelCount: 2, maximumModelCount: 3, inverse: \RuleMember.team) var members: [RuleMember] = []

    init(_ name: String) { self.name = name }
}

@Model
final class RuleMember {
    var name: String
    @Relationship(deleteRule: .deny) var team: RuleTeam?

    init(_ name: String) { self.name = name }
}

/// A handwritten model equivalent to that of the macro.
final class RuleHand: PersistentModel {
    @Attribute var name: String
    @Relationship(minimumModelCount: 1, maximumModelCount: 1) var project: RuleProject?

    static let properties: PropertyMap<RuleHand> = ["name": \.name, "project": \.project]
    let persistentBackingData: any BackingData<RuleHand> = RuleHand.createBackingData()
    init(backingData: any BackingData<RuleHand>) { persistentBackingData.adopt(backingData) }
    init(_ name: String) { self.name = name }
}
