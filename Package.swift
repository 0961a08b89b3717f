// swift-tools-version: 6.3

import PackageDescription

/// Every target keeps its imports to itself unless it says `public import` or `package import`: the compiler, not a
/// convention, shows which module may be seen through which.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "chronicle",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Chronicle", targets: ["Chronicle"]),
        .library(name: "ChronicleTesting", targets: ["ChronicleTesting"]),
        .library(name: "ChronicleConformance", targets: ["ChronicleConformance"]),
    ],
    targets: [
        // The only door to sqlite3.h.
        .systemLibrary(
            name: "ChronicleCSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]
        ),
        // Connections, statements, result codes. Nothing in it is public.
        .target(name: "ChronicleSQLite", dependencies: ["ChronicleCSQLite"], swiftSettings: settings),
        // Models, contexts, containers, store and history protocols. No SQL, no files.
        .target(name: "ChronicleCore", swiftSettings: settings),
        // The SQLite store.
        .target(name: "ChronicleStore", dependencies: ["ChronicleCore", "ChronicleSQLite"], swiftSettings: settings),
        // What users import.
        .target(name: "Chronicle", dependencies: ["ChronicleCore", "ChronicleStore"], swiftSettings: settings),
        // The rules that every store has to keep to, for authors of stores. No test framework.
        .target(name: "ChronicleConformance", dependencies: ["Chronicle"], swiftSettings: settings),
        // The rules in a test of Swift Testing.
        .target(name: "ChronicleTesting", dependencies: ["ChronicleConformance"], swiftSettings: settings),
        .testTarget(name: "ChronicleSQLiteTests", dependencies: ["ChronicleSQLite"], swiftSettings: settings),
        .testTarget(
            name: "ChronicleTests", dependencies: ["Chronicle", "ChronicleTestWorker", "ExampleStore", "FirstSteps"],
            swiftSettings: settings),
        .testTarget(
            name: "ChronicleTestingTests",
            dependencies: ["ChronicleTesting", "ExampleStore", "ChronicleConformanceWorker"], swiftSettings: settings),
        // The example of a store, for the tests. As a package of its own it has another name.
        .target(
            name: "ExampleStore", dependencies: ["Chronicle"], path: "Examples/MemoryStore/Sources/MemoryStore"),
        // The program of the README: `swift run FirstSteps`.
        .executableTarget(
            name: "FirstSteps", dependencies: ["Chronicle"], path: "Examples/FirstSteps", swiftSettings: settings),
        // The process that the rules kill, and stores that do not get over it.
        .executableTarget(
            name: "ChronicleConformanceWorker", dependencies: ["ChronicleConformance"],
            path: "Tests/ConformanceWorker", swiftSettings: settings),
        // A second process for the tests: it opens, writes, reads and is killed.
        .executableTarget(
            name: "ChronicleTestWorker", dependencies: ["Chronicle"], path: "Tests/Worker", swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
