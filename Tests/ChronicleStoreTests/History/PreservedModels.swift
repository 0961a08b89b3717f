import Chronicle
import Foundation

/// Models with every kind of relationship, none of which has an option that preserves values.
enum PreservedModels {
    static let types: [any PersistentModel.Type] = [Holder.self, Label.self, Piece.self]

    final class Piece: PersistentModel {
        @Attribute(.unique) var code: String?
        @Attribute var name: String
        @Attribute var note: String?
        @Attribute var number = 0
        @Attribute var score = 0.0
        @Attribute var content: Data?
        @Relationship var holder: Holder?
        /// Without an inverse.
        @Relationship var partner: Piece?
        @Relationship(inverse: \Piece.previous) var next: Piece?
        @Relationship var previous: Piece?
        /// Many to many.
        @Relationship(inverse: \Label.pieces) var labels: [Label]
        /// Its own inverse.
        @Relationship(inverse: Piece.back) var friends: [Piece]
        static var back: AnyKeyPath { \Piece.friends }
        /// Without an inverse.
        @Relationship var marks: [Label]?

        static let properties: PropertyMap<Piece> = [
            "code": \.code, "name": \.name, "note": \.note, "number": \.number, "score": \.score,
            "content": \.content, "holder": \.holder, "partner": \.partner, "next": \.next, "previous": \.previous,
            "labels": \.labels, "friends": \.friends, "marks": \.marks,
        ]
        let persistentBackingData: any BackingData<Piece>
        init(backingData: any BackingData<Piece>) { persistentBackingData = backingData }
        init(_ name: String) {
            persistentBackingData = Piece.createBackingData()
            self.name = name
        }
    }

    final class Holder: PersistentModel {
        @Attribute var name: String
        @Relationship(deleteRule: .cascade, inverse: \Piece.holder) var pieces: [Piece]

        static let properties: PropertyMap<Holder> = ["name": \.name, "pieces": \.pieces]
        let persistentBackingData: any BackingData<Holder>
        init(backingData: any BackingData<Holder>) { persistentBackingData = backingData }
        init(_ name: String) {
            persistentBackingData = Holder.createBackingData()
            self.name = name
        }
    }

    final class Label: PersistentModel {
        @Attribute var name: String
        @Relationship var pieces: [Piece]

        static let properties: PropertyMap<Label> = ["name": \.name, "pieces": \.pieces]
        let persistentBackingData: any BackingData<Label>
        init(backingData: any BackingData<Label>) { persistentBackingData = backingData }
        init(_ name: String) {
            persistentBackingData = Label.createBackingData()
            self.name = name
        }
    }
}
