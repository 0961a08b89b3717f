#if Macros
@attached(extension, conformances: PersistentModel)
public macro Model() = #externalMacro(module: "ChronicleMacros", type: "ModelMacro")
#endif
