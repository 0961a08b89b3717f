// swift-tools-version: 6.3

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "chronicle-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        // By name, because the folder of a clone may be called anything.
        .package(name: "chronicle", path: "..")
    ],
    targets: [
        // The baseline's own door to sqlite3.h: it must not share a line with what it is compared to.
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: ["CSQLite", .product(name: "Chronicle", package: "chronicle")],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
