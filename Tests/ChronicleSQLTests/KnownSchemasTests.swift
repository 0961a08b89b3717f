import Chronicle
import Testing

@testable import ChronicleSQLStore

@Suite("Known schemas") struct KnownSchemasTests {
    private func schema(_ classes: [String: [String]]) throws -> Schema {
        try Schema(
            entities: classes.map { name, properties in
                let members = properties.map {
                    #"{"kind":"attribute","name":"\#($0)","options":[],"type":"Int","storage":"integer","isOptional":true}"#
                }
                return try Schema.Entity(
                    json: #"{"name":"\#(name)","properties":[\#(members.joined(separator: ","))],"#
                        + #""uniquenessConstraints":[],"indices":[]}"#)
            })
    }

    /// Opens a store with schemas, one after another, and returns the last result.
    ///
    /// - Parameter renames: The new names in each opening, of classes (`Trip`) and of properties (`Trip.a` with the new name
    ///   of the class).
    private func open(
        _ openings: [(program: String, schema: Schema)], renames: [Int: [String: String]] = [:]
    ) -> KnownSchemas? {
        var records: [String: String] = [:]
        var result: KnownSchemas?
        for (number, (program, schema)) in openings.enumerated() {
            let known = KnownSchemas(
                records, opening: schema, key: schema.declarationKey(nil), program: program, wasComplete: false
            ).renamed {
                renames[number]?[$0] ?? $0
            } newPropertyName: { property, entity in
                renames[number]?["\(entity).\(property)"] ?? property
            }
            records.merge(known.changes) { $1 }
            result = known
        }
        return result
    }

    @Test func newProgramReplacesNoSchemaOfAnother() throws {
        let known = try open([
            ("app", schema(["Trip": ["a", "b"]])), ("widget", schema(["Trip": ["a"]])),
            ("app", schema(["Trip": ["a", "c"]])),
        ])
        #expect(known?.use("c", ofFirst: ["Trip"]) == true)
        #expect(known?.use("b", ofFirst: ["Trip"]) == false)
        let later = try open([
            ("app", schema(["Trip": ["a", "b"]])), ("widget", schema(["Trip": ["a"]])),
            ("widget", schema(["Trip": ["a", "c"]])),
        ])
        #expect(later?.use("b", ofFirst: ["Trip"]) == true)
    }

    @Test func newVersionReplacesTheMostSimilarSchemaOfTheProgram() throws {
        let app = try schema(["Trip": ["a", "b", "x", "y"]])
        let helper = try schema(["Trip": ["a", "c"]])
        // The helper opens the file first, is taken for a new version of the app, and the app uses its schema again.
        let known = try open([
            ("app", app), ("app", helper), ("app", app), ("app", schema(["Trip": ["a", "b", "x", "z"]])),
        ])
        #expect(known?.use("c", ofFirst: ["Trip"]) == true)
        #expect(known?.use("y", ofFirst: ["Trip"]) == false)
    }

    /// An app and its widget have the same models, and are updated one after the other.
    @Test func schemaOfTwoProgramsIsReplacedWhenBothHaveLeftIt() throws {
        let (first, second) = (try schema(["Trip": ["a", "b"]]), try schema(["Trip": ["a"]]))
        let openings = [("widget", first), ("app", first), ("app", second)]
        #expect(open(openings)?.use("b", ofFirst: ["Trip"]) == true)
        let both = open(openings + [("widget", second)])
        #expect(both?.isKnown == true)
        #expect(both?.use("b", ofFirst: ["Trip"]) == false)
    }

    /// The later version does not declare the original name any more.
    @Test func recordsFollowRenamedClasses() throws {
        let known = try open(
            [
                ("app", schema(["Trip": ["a", "b"]])), ("widget", schema(["Trip": ["a"]])),
                ("widget", schema(["Journey": ["a"]])), ("widget", schema(["Journey": ["a", "c"]])),
            ], renames: [2: ["Trip": "Journey"]])
        #expect(known?.use("b", ofFirst: ["Journey"]) == true)
        #expect(known?.use("Trip") == false)
    }

    @Test func recordsFollowChainsOfClassesAndProperties() throws {
        let renames = ["Trip": "Tour", "Tour": "Ride", "Tour.a": "b", "Tour.b": "c", "Ride.x": "y"]
        let known = try open(
            [
                ("app", schema(["Trip": ["a", "b"], "Tour": ["x"]])),
                ("widget", schema(["Trip": ["a"], "Tour": ["x"]])),
                ("widget", schema(["Tour": ["b"], "Ride": ["y"]])), ("widget", schema(["Tour": ["d"], "Ride": ["z"]])),
            ], renames: [2: renames])
        #expect(known?.use("b", ofFirst: ["Tour"]) == true)
        #expect(known?.use("c", ofFirst: ["Tour"]) == true)
        #expect(known?.use("y", ofFirst: ["Ride"]) == true)
        for name in ["x", "y"] { #expect(known?.use(name, ofFirst: ["Tour"]) == false) }
        for name in ["b", "c", "x"] { #expect(known?.use(name, ofFirst: ["Ride"]) == false) }
    }

    @Test func constraintsAndRemovedPropertiesFollowRenames() throws {
        let first = try Schema(entities: [
            Schema.Entity(
                json: #"{"name":"Trip","properties":[{"kind":"attribute","name":"a","options":[],"type":"Int","#
                    + #""storage":"integer","isOptional":true},{"kind":"attribute","name":"b","options":[],"type":"Int","#
                    + #""storage":"integer","isOptional":true}],"uniquenessConstraints":[["a","b"]],"indices":[]}"#)
        ])
        let known = try open(
            [
                ("app", first), ("app", schema(["Trip": ["a", "c"]])), ("widget", first),
                ("app", schema(["Trip": ["x", "y"]])),
            ], renames: [3: ["Trip.a": "x", "Trip.b": "y"]])
        #expect(known?.useConstraint(["x", "y"], isUnique: true, of: "Trip") == true)
        #expect(known?.useConstraint(["a", "b"], isUnique: true, of: "Trip") == false)
        #expect(known?.remove("b", ofFirst: ["Trip"]) == false)
        #expect(known?.remove("c", ofFirst: ["Trip"]) == true)
    }

    /// A property is replaced by one that is renamed to its name, and then both names are gone.
    @Test func recordsNoteReplacedProperties() throws {
        var records: [String: String] = [:]
        let (first, second) = (try schema(["Trip": ["a", "b"]]), try schema(["Trip": ["b", "c"]]))
        func open(_ schema: Schema, _ renames: [String: String] = [:]) -> KnownSchemas {
            let known = KnownSchemas(
                records, opening: schema, key: schema.declarationKey(nil), program: "app", wasComplete: false
            ).renamed {
                $0
            } newPropertyName: { property, _ in
                renames[property] ?? property
            } isReplaced: { property, _ in
                renames.values.contains(property) && renames[property] == nil
            }
            records.merge(known.changes) { $1 }
            return known
        }
        for schema in [first, second] { #expect(open(schema).renames == nil) }
        #expect(try open(schema(["Trip": ["a", "b", "x"]]), ["c": "a"]).renames == nil)
        #expect(try open(schema(["Trip": ["d", "b", "x"]]), ["a": "d"]).renames == nil)
        let removed = try #require(records[first.declarationKey(nil)])
        #expect(removed.contains(#""renames":{"Trip.a":""}"#), "\(removed)")
        let renamed = try #require(records[second.declarationKey(nil)])
        #expect(renamed.contains(#""renames":{"Trip.c":"d"}"#), "\(renamed)")
        #expect(open(first).renames == ["Trip.a": ""])
    }

    @Test func programWithoutASubclassUsesTheModelsOfItsSuperclass() throws {
        let known = try open([("app", schema(["Vehicle": ["wheels"]]))])
        #expect(known?.use("wheels", ofFirst: ["Car", "Vehicle"]) == true)
        #expect(known?.use("doors", ofFirst: ["Car", "Vehicle"]) == false)
    }

    @Test func inspectorChangesNothing() throws {
        let app = try schema(["Trip": ["a"]])
        let first = try #require(open([("app", app)]))
        let known = KnownSchemas(inspecting: first.changes)
        #expect(known.isKnown && known.changes.isEmpty)
        #expect(known.use("a", ofFirst: ["Trip"]))
    }
}
