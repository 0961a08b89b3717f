import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

/// Files of development builds, whose shapes a migration plan does not contain.
///
/// https://github.com/everpcpc/KMReader/issues/813
@Suite struct ShapeTests {
    /// The version that the development builds declared.
    enum Declaration: CaseIterable {
        case none, ofTheShape, ofTheFirstShape
    }

    private static let plans: [(shapes: Set<Int>, plan: any SchemaMigrationPlan.Type)] = [
        ([0, 12], LightweightPlan<Shape0, Shape12>.self),
        ([6, 12], LightweightPlan<Shape6, Shape12>.self),
        ([0, 6, 12], CustomPlan<Shape0, Shape6, Shape12>.self),
    ]

    private func open(
        _ file: URL, _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)? = nil
    ) throws -> ModelContext {
        ModelContext(
            try ModelContainer(
                for: schema, migrationPlan: plan,
                configurations: ModelConfiguration(url: file, durability: .relaxed, preservesValues: true)))
    }

    /// Creates a file with an item of each shape, and returns the items that a migration must keep.
    private func write(_ file: URL, shapes: [Int], _ declaration: Declaration) throws -> [String] {
        try shapes.enumerated().map { number, shape in
            let models = Shapes.all[shape].models
            let schema: Schema =
                switch declaration {
                case .none: Schema(models)
                case .ofTheShape: Schema(versionedSchema: Shapes.all[shape])
                case .ofTheFirstShape: Schema(models, version: Shape0.versionIdentifier)
                }
            _ = try open(file, schema)
            let connection = try Connection(path: file.path, mode: .readWrite)
            defer { connection.close() }
            try connection.execute(Shapes.insert("item \(number)", inShape: shape))
            return Shapes.expected("item \(number)", insertedInShape: shape)
        }
    }

    @Test(arguments: Declaration.allCases, 0...12)
    func everyShapeIsMigratedOrRejected(_ declaration: Declaration, _ shape: Int) throws {
        // A series of builds that declare the same version, or only one of them.
        let shapes = declaration == .ofTheFirstShape && shape % 2 == 1 ? [0, shape] : [shape]
        let original = try TemporaryDirectory().file("items.store")
        let expected = try write(original, shapes: shapes, declaration)
        for (number, plan) in Self.plans.enumerated() {
            let file = try TemporaryDirectory().file("items.store")
            try FileManager.default.copyItem(at: original, to: file)
            let comment: Comment = "shapes \(shapes), plan \(number)"
            let schema = Schema(versionedSchema: Shape12.self)
            guard plan.shapes.contains(declaration == .ofTheFirstShape ? 0 : shape) else {
                let error = try failure(of: { try open(file, schema, plan.plan) })
                #expect(error == .unknownSchemaVersion, comment)
                #expect(FileManager.default.contentsEqual(atPath: original.path, andPath: file.path), comment)
                continue
            }
            let context = try open(file, schema, plan.plan)
            #expect(try Shapes.items(context) == expected, comment)
            context.insert(Shape12.Item(name: "new"))
            try context.save()
            #expect(try VerificationTests.problems(in: file) == [], comment)
        }
    }

    @Test func theErrorNamesTheMostSimilarVersion() throws {
        for (shape, differences) in [
            (2, "1.0.0, which differs in Item.count, Item.note"), (3, "1.0.0, which differs in Item.count, Item.note"),
            (11, "1.12.0, which differs in Label.color"),
        ] {
            let file = try TemporaryDirectory().file("items.store")
            _ = try write(file, shapes: [shape], .none)
            let schema = Schema(versionedSchema: Shape12.self)
            let error = try failure(of: { try open(file, schema, LightweightPlan<Shape0, Shape12>.self) })
            #expect(
                error?.detail?.hasSuffix("the most similar version is \(differences)") == true,
                "\(String(describing: error))")
        }
    }
}
