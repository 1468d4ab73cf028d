pub fn run(_: Option<&str>) -> anyhow::Result<()> {
    Ok(())
}
