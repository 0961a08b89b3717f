import SwiftSyntax
import Testing

@testable import ChronicleMacros

@Test func a() { #expect(Macros.all.count == 5) }
