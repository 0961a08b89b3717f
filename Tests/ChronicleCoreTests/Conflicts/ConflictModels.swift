import Chronicle
import Foundation

@Model
final class Folder {
    @Attribute(.unique) var name: String
    var note: String?
    var rank = 0
    @Relationship(inverse: \Memo.folder) var memos: [Memo] = []
    var labels: [Label] = []
    @Relationship(inverse: \Cover.folder) var cover: Cover?

    init(_ name: String, note: String? = nil, rank: Int = 0) {
        self.name = name
        self.note = note
        self.rank = rank
    }
}

/// The title is unique in its folder.
@Model
final class Memo {
    #Unique<Memo>([\.folder, \.title])

    var title: String
    var text: String
    var folder: Folder?

    init(_ title: String, _ text: String = "", in folder: Folder? = nil) {
        self.title = title
        self.text = text
        self.folder = folder
    }
}

@Model
final class Label {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Folder.labels) var folders: [Folder] = []

    init(_ name: String) { self.name = name }
}

@Model
final class Cover {
    var title: String
    var folder: Folder?

    init(_ title: String) { self.title = title }
}

/// Two constraints, a value that has to be decoded, and a value that is not stored.
@Model
final class Account {
    @Attribute(.unique) var email: String
    @Attribute(.unique) var handle: String?
    var tags: [String] = []
    @Attribute(.ephemeral) var visits = 0

    init(_ email: String, handle: String? = nil, tags: [String] = []) {
        self.email = email
        self.handle = handle
        self.tags = tags
    }
}

@Model
final class Purchase {
    @Attribute(.unique) var number: Int
    @Relationship(deleteRule: .cascade, inverse: \PurchaseLine.purchase) var lines: [PurchaseLine] = []

    init(_ number: Int) { self.number = number }
}

@Model
final class PurchaseLine {
    var article: String
    var purchase: Purchase

    init(_ article: String, _ purchase: Purchase) {
        self.article = article
        self.purchase = purchase
    }
}

/// A path: the name is unique in the parent, which may be new as well.
@Model
final class PathNode {
    #Unique<PathNode>([\.parent, \.name], [\.root])

    var name: String
    /// Not nil for a node without a parent, whose name is then unique.
    var root: String?
    @Relationship(inverse: \PathNode.children) var parent: PathNode?
    var children: [PathNode] = []

    init(_ name: String, in parent: PathNode? = nil) {
        self.name = name
        self.parent = parent
        root = parent == nil ? name : nil
    }
}

extension ModelContext {
    /// Inserts models and saves them.
    func add(_ models: any PersistentModel...) throws {
        for model in models { insert(model) }
        try save()
    }

    func folders() throws -> [Folder] { try fetch(FetchDescriptor(sortBy: [SortDescriptor(\Folder.name)])) }
    func memos() throws -> [Memo] { try fetch(FetchDescriptor(sortBy: [SortDescriptor(\Memo.title)])) }
}
