import Foundation
import SwiftData

@Model
public final class Clip {
    #Index<Clip>([\.kind], [\.kind, \.copied])

    public var text: String?
    public var kind: String
    public var isSecret = false
    public var copied: Date
    public var expires: Date?
    public var uses: Int
    public var source: Source?
    @Relationship(inverse: \Label.clips) public var labels: [Label] = []

    public init(_ text: String?, kind: Kind = .text, copied: Date, expires: Date? = nil, uses: Int = 0) {
        self.text = text
        self.kind = kind.rawValue
        self.copied = copied
        self.expires = expires
        self.uses = uses
    }

    public enum Kind: String, CaseIterable, Sendable {
        case text, link, file
    }
}

@Model
public final class Source {
    @Attribute(.unique) public var name: String
    @Relationship(inverse: \Clip.source) public var clips: [Clip]? = []

    public init(name: String) { self.name = name }
}

@Model
public final class Label {
    public var name: String
    public var isPinned: Bool
    public var clips: [Clip] = []

    public init(name: String, isPinned: Bool = false) {
        self.name = name
        self.isPinned = isPinned
    }
}
